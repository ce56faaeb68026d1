/** Ready-made first scenarios. A link opens each of them in the editor as a new scenario. */
import { unusedName } from './text.ts';

export interface Starter {
  /** Name of its scenario, and its value in the link. */
  readonly name: string;
  readonly title: string;
  /** Further words that find it. */
  readonly words: string;
  /** The sentence that the form writes for the rule. */
  readonly description: string;
  /** The rule, as lines of YAML. */
  readonly rule: readonly string[];
}

const fail = 'fail: Address could not be geocoded, after: 2s';
const failure = 'fails after 2s (Address could not be geocoded)';

/** Also the text of a new scenario without a starter. */
const firstEntries: Starter = {
  name: 'first-entries-fail',
  title: 'the 1st entry of each import fails after 2 s',
  words: 'make let first job every request',
  description: `The 1st entry of every asyncImportJobs request: ${failure}.`,
  rule: ['when: { operation: asyncImportJobs, item: 1 }', `then: { ${fail} }`],
};

export const starters: readonly Starter[] = [
  {
    name: 'third-entry-fails',
    title: 'the 3rd entry of the next request fails',
    words: 'make let third job import',
    description: `The 3rd entry of the next asyncImportJobs request: ${failure}.`,
    rule: ['when: { operation: asyncImportJobs, item: 3 }', 'times: 1', `then: { ${fail} }`],
  },
  firstEntries,
  {
    name: 'next-request-503',
    title: 'the next request is rejected with 503',
    words: 'make let fail unavailable outage error',
    description: 'The next request: response 503.',
    rule: ['times: 1', 'then: { respond: { status: 503 } }'],
  },
  {
    name: 'callback-twice',
    title: 'a callback is sent twice',
    words: 'make let fail duplicate copies again webhook',
    description: `The 1st entry of every asyncImportJobs request: ${failure}, callback copies 2.`,
    rule: ['when: { operation: asyncImportJobs, item: 1 }', `then: { ${fail}, callback: { copies: 2 } }`],
  },
];

/** Returns the text of a new scenario: of a starter, or without one a text that the form turns into others. */
export function newText(library: readonly { readonly name: string }[] = [], from = ''): string {
  const chosen = starters.find(({ name }) => name === from);
  const { description, rule } = chosen ?? firstEntries;
  const names = library.map(({ name }) => name);
  return [
    `name: ${unusedName(chosen?.name ?? 'my-scenario', names)}`,
    `description: ${JSON.stringify(description)}`,
    'rules:',
    ...rule.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`),
    '',
  ].join('\n');
}
