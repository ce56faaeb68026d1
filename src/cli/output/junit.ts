/** Formats checks as JUnit XML. */
import XMLBuilder from 'fast-xml-builder';
import type { Check, Suite } from '../report/checks.ts';
import { mapTexts } from '../report/report.ts';

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
      ...toAttributes({ name, ...toTotals(suites.flatMap(({ checks }) => checks)) }),
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

function toCounts(checks: readonly Check[]): Readonly<Record<string, string>> {
  return { ...toTotals(checks), skipped: String(checks.filter(({ outcome }) => outcome === 'skipped').length) };
}

/** Returns the totals without `skipped`, which the `testsuites` element does not have. */
function toTotals(checks: readonly Check[]): Readonly<Record<string, string>> {
  return {
    tests: String(checks.length),
    failures: String(checks.filter(({ outcome }) => outcome === 'failed').length),
    errors: '0',
    time: toSeconds(checks.reduce((sum, { seconds = 0 }) => sum + seconds, 0)),
  };
}

function toSuiteElement({ name, checks }: Suite, properties: Readonly<Record<string, string>>): object {
  const property = Object.entries(properties).map(([key, value]) => toAttributes({ name: key, value }));
  return {
    ...toAttributes({ name, ...toCounts(checks) }),
    properties: { property },
    ...(checks.length > 0 && { testcase: withUniqueNames(checks).map((check) => toCaseElement(name, check)) }),
  };
}

function toCaseElement(suite: string, { name, outcome, text, reason = text, seconds = 0 }: Check): object {
  return {
    ...toAttributes({ name, classname: suite, time: toSeconds(seconds) }),
    ...(outcome === 'failed' && {
      failure: { ...toAttributes({ message: reason, type: 'failure' }), '#text': toText(reason) },
    }),
    ...(outcome === 'skipped' && { skipped: toAttributes({ message: reason }) }),
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
