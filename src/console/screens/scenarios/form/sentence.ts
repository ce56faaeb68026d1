/** Describes a rule in one sentence, which is also the description of a new scenario. */
import type { Entries, Requests, RuleForm, TimeSpan } from './scenario-form.ts';

type Values = Readonly<Record<string, unknown>>;

export function describeRule({ operation, entries, requests, fields, timeSpan, chance, effects }: RuleForm): string {
  const isOfEntries = 'fail' in effects || 'refuse' in effects || entries.kind !== 'all';
  const what = [isOfEntries ? `${describeEntries(entries)} of ` : '', describeRequests(requests, operation)].join('');
  const when = [
    ...fields.map(({ path, test, value }) => `${path} ${tests[test](value)}`),
    ...(chance === undefined ? [] : [`with a probability of ${Math.round(chance * 100)} %`]),
  ];
  const span = timeSpan ? ` ${describeTimeSpan(timeSpan)}` : '';
  const then = describeEffects(effects);
  return `${what}${span}${when.length === 0 ? '' : `, if ${when.join(' and ')}`}: ${then === '' ? 'nothing yet' : then}.`.replace(
    /^./,
    (letter) => letter.toUpperCase(),
  );
}

const tests: Readonly<Record<RuleForm['fields'][number]['test'], (value: unknown) => string>> = {
  is: (value) => `is ${value}`,
  matches: (value) => `matches ${value}`,
  exists: (value) => (value === false ? 'is missing' : 'exists'),
  gt: (value) => `is greater than ${value}`,
  gte: (value) => `is at least ${value}`,
  lt: (value) => `is less than ${value}`,
  lte: (value) => `is at most ${value}`,
};

function describeEntries(entries: Entries): string {
  switch (entries.kind) {
    case 'all':
      return 'all entries';
    case 'numbers':
      return entries.numbers.length === 1
        ? `the ${entries.numbers.map(ordinal)} entry`
        : `the entries ${entries.numbers.join(', ')}`;
    case 'every':
      return `every ${ordinal(entries.every)} entry`;
    case 'ids':
      return `entries ${entries.ids.join(', ')}`;
    case 'other':
      return 'some entries';
  }
}

function describeRequests(requests: Requests, operation: string): string {
  const name = operation === '' ? 'request' : `${operation} request`;
  switch (requests.kind) {
    case 'all':
      return `every ${name}`;
    case 'first':
      return requests.count === 1 ? `the next ${name}` : `the next ${requests.count} ${name}s`;
    case 'nth':
      return `the ${ordinal(requests.nth)} ${name}`;
    case 'every':
      return `every ${ordinal(requests.every)} ${name}`;
    case 'range':
      return `the ${name}s from the ${ordinal(requests.from)}${requests.to === undefined ? '' : ` to the ${ordinal(requests.to)}`}`;
  }
}

function describeTimeSpan({ after, afterRequests, for: length }: TimeSpan): string {
  const start =
    afterRequests === undefined ? `from ${after ?? '0s'} after activation` : `after ${afterRequests} requests`;
  return `${start}${length === undefined ? '' : ` for ${length}`}`;
}

function describeEffects(effects: Values): string {
  const { respond, refuse, fail, after, latency, limit, connection, callback } = effects;
  return [
    ...(respond === undefined ? [] : [`response ${(respond as Values | null)?.['status'] ?? ''}`.trim()]),
    ...(refuse === undefined ? [] : [`rejected (${refuse})`]),
    ...(fail === undefined ? [] : [`fails ${after === undefined ? 'later' : `after ${after}`} (${fail})`]),
    ...(latency === undefined ? [] : [typeof latency === 'string' ? `delay of ${latency}` : 'random delay']),
    ...(limit === undefined ? [] : ['429 above a rate']),
    ...(connection === undefined ? [] : [`connection: ${connection}`]),
    ...(callback === undefined ? [] : [`callback ${describeCallback(callback)}`]),
  ].join(', ');
}

function describeCallback(callback: unknown): string {
  const entries = Object.entries((callback ?? {}) as Values);
  return entries.map(([key, value]) => (value === true ? 'dropped' : `${key} ${value}`)).join(', ');
}

function ordinal(number: number): string {
  const suffixes: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
  const isTeen = number % 100 > 10 && number % 100 < 14;
  return `${number}${isTeen ? 'th' : (suffixes[number % 10] ?? 'th')}`;
}
