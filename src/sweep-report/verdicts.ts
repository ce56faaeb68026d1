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
  hung: { quality: 'bad', symbol: 'H', meaning: 'ended at the time limit, after 5 s without a request' },
  storm: { quality: 'bad', symbol: 'S', meaning: 'over ten times as many requests as in the baseline' },
  duplicated: { quality: 'bad', symbol: 'D', meaning: 'the command passed, but there are more records' },
  'accepted-forgery': { quality: 'bad', symbol: 'A', meaning: 'a forged or malformed callback was accepted' },
  unnoticed: { quality: 'bad', symbol: 'U', meaning: 'the command passed, but records are missing or differ' },
  failed: { quality: 'bad', symbol: 'F', meaning: 'the command failed, but it could have recovered' },
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
