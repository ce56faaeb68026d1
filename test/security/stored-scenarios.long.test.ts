/** Scenarios that are stored over HTTP are limited in number. */
import { expect, test } from 'vitest';
import { maxStoredScenarios } from '../../src/scenarios/library.ts';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

test('beyond 1,000 are rejected, and the message says what to do', async () => {
  const put = (name: string) =>
    sandbox.control('PUT', `/scenarios/${name}`, { name, rules: [{ then: { fail: 'x' } }] });
  const headers = { 'content-type': 'application/json' };
  for (let n = 0; n < maxStoredScenarios; n += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const body = `{"name":"s-${n + i}","rules":[{"then":{"fail":"x"}}]}`;
        return fetch(`${sandbox.url()}/_sandbox/scenarios/s-${n + i}`, { method: 'PUT', headers, body });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
  expect(await put('one-more')).toMatchObject({ status: 409, body: { message: expect.stringContaining('DELETE') } });
  await sandbox.control('DELETE', '/scenarios/s-0');
  expect((await put('one-more')).status).toBe(200);
});
