/** Formats results as JUnit XML. */
import XMLBuilder from 'fast-xml-builder';
import { mapTexts } from '../report/report.ts';

/** A case of a suite. */
export interface Case {
  readonly name: string;
  readonly seconds?: number;
  /** Why it failed. */
  readonly failure?: string;
  /** Why it was skipped. */
  readonly skipped?: string;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Formats suites. `properties` are written in every suite; `hide` removes secrets from a text. */
export function toXml(
  name: string,
  allSuites: readonly Suite[],
  properties: Readonly<Record<string, string>>,
  hide: (text: string) => string,
): string {
  // Before texts are escaped, because escaping may change a secret.
  const suites = mapTexts(allSuites, hide);
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    format: true,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    testsuites: {
      ...toAttributes({ name, ...toTotals(suites.flatMap(({ cases }) => cases)) }),
      testsuite: withUniqueNames(suites).map((suite) => toSuiteElement(suite, properties)),
    },
  });
}

/** Numbers equal names, because readers of JUnit XML merge cases, and suites, of the same name. */
function withUniqueNames<Named extends { readonly name: string }>(items: readonly Named[]): readonly Named[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const earlier = seen.get(item.name) ?? 0;
    seen.set(item.name, earlier + 1);
    return earlier === 0 ? item : { ...item, name: `${item.name} (${earlier + 1})` };
  });
}

function toCounts(cases: readonly Case[]): Readonly<Record<string, string>> {
  return { ...toTotals(cases), skipped: String(cases.filter(({ skipped }) => skipped !== undefined).length) };
}

/** Returns the totals without `skipped`, which the `testsuites` element does not have. */
function toTotals(cases: readonly Case[]): Readonly<Record<string, string>> {
  return {
    tests: String(cases.length),
    failures: String(cases.filter(({ failure }) => failure !== undefined).length),
    errors: '0',
    time: toSeconds(cases.reduce((sum, { seconds = 0 }) => sum + seconds, 0)),
  };
}

function toSuiteElement({ name, cases }: Suite, properties: Readonly<Record<string, string>>): object {
  const property = Object.entries(properties).map(([key, value]) => toAttributes({ name: key, value }));
  return {
    ...toAttributes({ name, ...toCounts(cases) }),
    properties: { property },
    ...(cases.length > 0 && { testcase: withUniqueNames(cases).map((item) => toCaseElement(name, item)) }),
  };
}

function toCaseElement(suite: string, { name, seconds = 0, failure, skipped }: Case): object {
  return {
    ...toAttributes({ name, classname: suite, time: toSeconds(seconds) }),
    ...(failure !== undefined && {
      failure: { ...toAttributes({ message: failure, type: 'failure' }), '#text': toText(failure) },
    }),
    ...(skipped !== undefined && { skipped: toAttributes({ message: skipped }) }),
  };
}

function toSeconds(seconds: number): string {
  return seconds.toFixed(3);
}

/** Returns XML attributes. Line breaks become spaces here, as XML readers would normalize them. */
function toAttributes(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`@_${name}`, toText(value).replace(/\s/g, ' ')]),
  );
}

/** Removes the characters that XML 1.0 does not allow, escaped or not. */
function toText(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
}
