/** Large bodies with very many values or names are rejected; others of the same length are accepted. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

const send = (text: string) => sandbox.api('POST', `/async/projects/${freshProject()}/jobs`, text);
const repeat = (piece: (n: number) => string, count: number): string =>
  Array.from({ length: count }, (_, n) => piece(n)).join();
const deep = `${'['.repeat(90)}${']'.repeat(90)}`;

test.each([
  ['empty lists', repeat(() => '[]', 1_100_000), 'values'],
  ['empty objects', repeat(() => '{}', 1_100_000), 'values'],
  ['deep lists', repeat(() => deep, 12_000), 'values'],
  ['unknown fields', `{${repeat((n) => `"f${n}":1`, 21_000)}}`, 'names'],
  ['objects whose names all differ', repeat((n) => `{"f${n}" : 1}`, 21_000), 'names'],
])('a large body of %s is rejected with the name of the limit', async (_what, entries, key) => {
  const { status, body } = await send(`{"jobs":[${entries}]}`);
  expect(status).toBe(413);
  expect(body.message).toContain(`limits.${key}`);
});

test.each([
  ['what looks like values inside of texts', `"${'[{,:'.repeat(500_000)}"`],
  ['one name 100,000 times', `{${'"id":"J",'.repeat(100_000)}"id":"J"}`],
  ['JSON inside of a text', `{"id":"J","notes":${JSON.stringify(`{${repeat((n) => `"f${n}":1`, 25_000)}}`)}}`],
  ['names that are the same, and differ in escapes', repeat((n) => `{"a\\"${n % 9}":1}`, 9000).padEnd(300_000)],
])('a large body of %s is accepted', async (_what, entries) => {
  const { status, body } = await send(`{"jobs":[${entries}]}`);
  expect(status).toBe(202);
  expect(body.jobsReceived + body.failed.length).toBeGreaterThan(0);
});
