/** Reading a long scenario, whatever it is, takes many steps, between which others are served. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Steps } from '../../../src/lib/slices.ts';
import { checkText } from '../../../src/scenarios/parse.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const yaml = { 'content-type': 'application/yaml' };

const rules = `name: long\nrules:\n${'- when: { operation: async* }\n  then: { respond: { status: 500 } }\n'.repeat(3600)}`;
const tooMany = '1:200001  expected at most 200,000 values, keys and signs';

test.each([
  ['many rules', rules, undefined],
  [
    'many rules with a mistake each',
    rules.replaceAll('async*', 'acync*'),
    '3:22  no operation matches "acync*", did you mean async*?',
  ],
  ['commas', `{${','.repeat(120_000)}`, '1:3  Unexpected , in flow map'],
  ['more commas', `{${','.repeat(262_000)}`, tooMany],
  ['anchors', '&a '.repeat(80_000), '1:4  A node can have at most one anchor'],
  ['aliases', '*a '.repeat(80_000), '1:4  unexpected text after the value: put all of it in quotes'],
])('%s', async (_, text, expected) => {
  const { errors, valid } = (await sandbox.control('POST', '/scenario-checks', text, yaml)).body;
  expect(valid).toBe(expected === undefined);
  const [first] = errors;
  expect(first && `${first.line}:${first.column}  ${first.message}`).toBe(expected);
  expect(await countSteps(checkText(text, 'long'))).toBeGreaterThan(100);
});

/** As the server, which lets other requests in between two steps: also connections that it has closed meanwhile end. */
async function countSteps(steps: Steps<unknown>): Promise<number> {
  let count = 1;
  for (; !steps.next().done; count += 1) await setImmediate();
  return count;
}
