/** The verdicts of a sweep: how each counts, its symbol and its meaning. */

/** How a verdict counts. Only bad cases fail a sweep. */
export type Quality = 'bad' | 'neutral' | 'good';

interface VerdictFacts {
  readonly quality: Quality;
  /** One character, which is readable without colour. */
  readonly symbol: string;
  /** What happened, in at most 54 characters. */
  readonly meaning: string;
}

/** All verdicts, the worst first. `not-reached` is last, because any other case of a cell says more. */
export const verdictNames = [
  'hung',
  'storm',
  'duplicated',
  'accepted-forgery',
  'unnoticed',
  'failed',
  'impatient',
  'retrying',
  'flaky',
  'logged',
  'tolerated',
  'reported',
  'recovered',
  'not-reached',
] as const;

export type Verdict = (typeof verdictNames)[number];

export const verdicts: Readonly<Record<Verdict, VerdictFacts>> = {
  hung: { quality: 'bad', symbol: 'H', meaning: 'no request for 5 s: does your client limit its time?' },
  storm: { quality: 'bad', symbol: 'S', meaning: 'over ten times as many requests as in the baseline' },
  duplicated: { quality: 'bad', symbol: 'D', meaning: 'the command passed, but there are more records' },
  'accepted-forgery': { quality: 'bad', symbol: 'A', meaning: 'a forged or malformed callback was accepted' },
  unnoticed: { quality: 'bad', symbol: 'U', meaning: 'the command passed, but records are missing or differ' },
  failed: { quality: 'bad', symbol: 'F', meaning: 'the command failed, but it could have recovered' },
  impatient: { quality: 'bad', symbol: 'I', meaning: 'it tried again before the time of retry-after' },
  retrying: { quality: 'neutral', symbol: 'r', meaning: 'ended a minute after the time limit, still sending' },
  flaky: { quality: 'neutral', symbol: '?', meaning: 'a bad case whose second run had another verdict' },
  logged: { quality: 'neutral', symbol: 'l', meaning: 'records are missing, but the output names the failure' },
  tolerated: { quality: 'neutral', symbol: 't', meaning: 'only locations that newer ones follow are missing' },
  reported: { quality: 'good', symbol: '+', meaning: 'the command failed in time, as expected' },
  recovered: { quality: 'good', symbol: '✓', meaning: 'the command passed, with the records of the baseline' },
  'not-reached': { quality: 'neutral', symbol: '-', meaning: 'the failure never occurred' },
};

/** Whether a verdict fails a sweep. */
export function isBad(verdict: Verdict): boolean {
  return verdicts[verdict].quality === 'bad';
}

/** Compares two verdicts: negative if the first is worse. */
export function compareVerdicts(a: Verdict, b: Verdict): number {
  return verdictNames.indexOf(a) - verdictNames.indexOf(b);
}

/** Returns the rules of docs/guides/robust-client.md that a client with a bad case does not follow. */
export function rulesOf({ verdict, kind }: { readonly verdict: Verdict; readonly kind: string }): readonly number[] {
  if (!isBad(verdict)) return [];
  const byKind = kindRules.find(([pattern]) => pattern.test(kind))?.[1] ?? [3];
  if (verdict === 'unnoticed' && !byKind.some((rule) => rule > 6)) return [6];
  return verdictRules[verdict] ?? byKind;
}

const verdictRules: Readonly<Partial<Record<Verdict, readonly number[]>>> = {
  hung: [1],
  storm: [2],
  duplicated: [4, 5],
  'accepted-forgery': [8],
  impatient: [2],
};

/** Rules by kind of failure, for verdicts that do not say which one it is. */
const kindRules: readonly (readonly [kinds: RegExp, rules: readonly number[]])[] = [
  [/^(refused|failed-downstream)(-last)?$/, [7]],
  [/^callback-/, [8]],
  [/-processed$/, [5]],
  [/^(limit|status-429|status-503)$/, [2, 3]],
  [/^(latency|connection-(hang|drip))$/, [1, 3]],
  [/^connection-truncate$/, [3, 6]],
  [/^status-4/, [3, 6]],
];

/** What each rule of docs/guides/robust-client.md asks for. */
export const robustRules: Readonly<Record<number, string>> = {
  1: 'limit the time of each attempt, with its body',
  2: 'limit the number of attempts, and wait as long as retry-after says',
  3: 'retry 408, 425, 429, 5xx and incomplete answers; report every other 4xx',
  4: 'send a retry with the same ids and the same body',
  5: 'take "exists already" after a lost answer as a success',
  6: 'take only a complete 2xx answer as a success',
  7: 'read `failed` in every result and callback',
  8: 'verify and store each callback before you answer, and process it once',
};
