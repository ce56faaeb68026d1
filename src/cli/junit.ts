/** JUnit XML of suites; those of a run: one for each scenario, a case for each of its rules and expectations, and the command. */
import XMLBuilder from 'fast-xml-builder';
import type { ScenarioVerdict } from '../verdict/verdict.ts';
import { type Run, toRuleText } from './report.ts';

/** A case of a suite. */
export interface Case {
  readonly name: string;
  readonly seconds?: number;
  /** Why it failed, or need not have been. */
  readonly failure?: string;
  readonly skipped?: string;
}

/** Cases that stand together. */
export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** What a run came to. */
export function toJunit(
  run: Run,
  properties: Readonly<Record<string, string>>,
  hide: (text: string) => string = (text) => text,
): string {
  const command = [toCommandCase(run), ...(run.bugs.length > 0 ? [toBugCase(run.bugs)] : [])];
  const name = 'field-sandbox run';
  return toXml(name, [...run.verdict.scenarios.map(toScenarioSuite), { name, cases: command }], properties, hide);
}

/** `properties` stand in every suite; `hide` takes out of a text what nobody is to see. */
export function toXml(
  name: string,
  shown: readonly Suite[],
  properties: Readonly<Record<string, string>>,
  hide: (text: string) => string,
): string {
  const suites = shown.map((suite) => toHidden(suite, hide));
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
      testsuite: toUnique(suites).map((suite) => toSuiteElement(suite, properties)),
    },
  });
}

/** Hidden before anything is escaped: after that a secret may look otherwise. */
function toHidden({ name, cases }: Suite, hide: (text: string) => string): Suite {
  return {
    name: hide(name),
    cases: cases.map(({ name: title, seconds, failure, skipped }) => ({
      name: hide(title),
      ...(seconds !== undefined && { seconds }),
      ...(failure !== undefined && { failure: hide(failure) }),
      ...(skipped !== undefined && { skipped: hide(skipped) }),
    })),
  };
}

function toScenarioSuite({ name, rules, expectations }: ScenarioVerdict): Suite {
  const toOutcome = (outcome: string, why: string) =>
    outcome === 'failed' ? { failure: why } : outcome === 'left out' ? { skipped: why } : {};
  return {
    name,
    cases: [
      ...rules.map((rule) => ({ name: `rule ${rule.name} fired`, ...toOutcome(rule.outcome, toRuleText(rule)) })),
      ...expectations.map(({ wish, outcome, why }) => ({ name: wish, ...toOutcome(outcome, why) })),
    ],
  };
}

function toCommandCase({ command, code, ms }: Run): Case {
  return { name: command, seconds: ms / 1000, ...(code !== 0 && { failure: `the command ended with ${code}` }) };
}

function toBugCase(bugs: readonly string[]): Case {
  return { name: 'the sandbox has no bug', failure: bugs.join('; ') };
}

/** Readers take cases, and suites, of one name for one. */
function toUnique<Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] {
  const seen = new Map<string, number>();
  return all.map((one) => {
    const before = seen.get(one.name) ?? 0;
    seen.set(one.name, before + 1);
    return before === 0 ? one : { ...one, name: `${one.name} (${before + 1})` };
  });
}

function toCounts(cases: readonly Case[]): Readonly<Record<string, string>> {
  return { ...toTotals(cases), skipped: String(cases.filter(({ skipped }) => skipped !== undefined).length) };
}

/** The element around all suites has no `skipped`. */
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
    ...(cases.length > 0 && { testcase: toUnique(cases).map((one) => toCaseElement(name, one)) }),
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

/** Readers turn a line's end within an attribute into a space, so it is one from the beginning. */
function toAttributes(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`@_${name}`, toText(value).replace(/\s/g, ' ')]),
  );
}

/** XML 1.0 has no place for other characters, escaped or not. */
function toText(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
}
