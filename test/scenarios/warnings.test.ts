/** Warnings of `check`: rules that can never fire. A rule that could fire must not have one. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findWarnings } from '../../src/scenarios/warnings/find.ts';

const warningsOf = (rules: string): readonly string[] =>
  findWarnings({ name: 'it', rules: parse(rules) }).map(({ path, message }) => `${path.join('/')} ${message}`);

const location = 'no operation of this rule can cause a callback';
const single = 'each operation of this rule has a single entry, number 1';

test.each<[string, string]>([
  [
    '- { when: { operation: sync*Order, subproject: A }, then: { refuse: No } }',
    'rules/0/when/subproject never matches: no operation of this rule has a subproject in its URL',
  ],
  [
    '- { when: { operation: [registerUser, syncCreateJob], item: 2 }, then: { refuse: No } }',
    `rules/0/when/item never matches: ${single}`,
  ],
  [
    '- { when: { operation: submitLocation, item: [2, 3] }, then: { refuse: No } }',
    `rules/0/when/item never matches: ${single}`,
  ],
  [
    '- { when: { operation: asyncUpdateJob, item: { every: 2 } }, then: { refuse: No } }',
    `rules/0/when/item never matches: ${single}`,
  ],
  [
    '- { when: { operation: submit* }, then: { latency: 1s, callback: { drop: true } } }',
    `rules/0/then/callback has no effect: ${location}`,
  ],
  ['- { chance: 0, then: { refuse: No } }', 'rules/0/chance never fires: the probability is 0'],
  [
    '- { when: { request: { nth: 5 }, during: { afterRequests: 5 } }, then: { refuse: No } }',
    'rules/0/when/request never matches: request 5 comes before the time span, which begins after request 5',
  ],
  [
    '- { scope: server, then: { limit: { requests: 1, per: 10s } } }',
    'rules/0/then/limit counts the requests of each project separately, also with `scope: server`',
  ],
  [
    '- { times: 1, then: { callback: { order: reverse, delay: 5s } } }',
    'rules/0/then/callback/order has no effect: this rule applies to one callback only',
  ],
  [
    '- { when: { request: { from: 2, to: 2 } }, then: { callback: { order: shuffle } } }',
    'rules/0/then/callback/order has no effect: this rule applies to one callback only',
  ],
  [
    '- { name: down, then: { respond: { status: 503 }, latency: 1s } }\n- { times: 1, then: { latency: 2s } }',
    'rules/1 never fires: the earlier rule "down" always decides latency',
  ],
  [
    '- { when: { operation: async* }, then: { fail: No } }\n- { when: { operation: asyncImport*, item: 1 }, then: { fail: X } }',
    'rules/1 never fires: the earlier rule "rule 1" always decides fail',
  ],
  [
    '- { then: { latency: 1s, callback: { drop: true } } }\n- { then: { callback: { copies: 2 } } }',
    'rules/1 never fires: the earlier rule "rule 1" always decides callback',
  ],
])('%s', (rules, warning) => {
  expect(warningsOf(rules)).toEqual([warning]);
});

test.each([
  '- { when: { operation: "*Order*", subproject: A }, then: { refuse: No } }',
  '- { when: { operation: [syncCreateJob, syncCreateJobs], item: 2 }, then: { refuse: No } }',
  '- { when: { operation: syncCreateJob, item: [3, 1] }, then: { refuse: No } }',
  '- { when: { operation: syncCreateJob, item: { id: X } }, then: { refuse: No } }',
  // A profile can make a synchronous operation asynchronous.
  '- { when: { operation: [submitLocation, sync*] }, then: { callback: { drop: true } } }',
  '- { when: { request: { nth: 6 }, during: { afterRequests: 5 } }, then: { refuse: No } }',
  '- { when: { request: { from: 2 }, during: { afterRequests: 5 } }, then: { refuse: No } }',
  '- { times: 2, then: { callback: { order: reverse } } }',
  // One request can cause several callbacks.
  '- { times: 1, then: { latency: 1s, callback: { order: reverse, delay: 5s } } }',
  '- { when: { operation: async* }, then: { fail: No } }\n- { when: { item: 1 }, then: { fail: X } }',
  '- { when: { item: 1 }, then: { fail: No } }\n- { then: { fail: X } }',
  '- { times: 5, then: { fail: No } }\n- { then: { fail: X } }',
  '- { chance: 0.5, then: { fail: No } }\n- { then: { fail: X } }',
  '- { then: { respond: { status: 503 } } }\n- { then: { respond: { status: 500 }, latency: 1s } }',
  // A rule that counts callbacks does not prevent one that counts requests from firing.
  '- { then: { callback: { copies: 2 } } }\n- { then: { latency: 1s } }\n- { then: { callback: { drop: true }, fail: No } }',
])('no warning: %s', (rules) => {
  expect(warningsOf(rules)).toEqual([]);
});
