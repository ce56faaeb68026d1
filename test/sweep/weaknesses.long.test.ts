/** Sweeps of the weak reference clients: each weakness is found. */
import { expect, test } from 'vitest';
import { weaknesses } from './clients/weaknesses.mjs';
import { runSweep } from './run-sweep.ts';

const findings = Object.entries(weaknesses).flatMap(([name, { cases }]) =>
  Object.entries(cases).map(([id, verdict]) => [name, id, verdict] as const),
);

// One after the other: under load, the time limits of the clients end requests that nothing disturbs.
test.each(findings)('%s: %s is %s', { timeout: 120_000 }, async (name, id, verdict) => {
  const [operation = '', kind = ''] = id.split('/');
  const command = [process.execPath, 'test/sweep/clients/weak.mjs', name];
  const { cases } = await runSweep(command, operation, [kind]);
  expect(cases.find((one) => one.case === id)).toMatchObject({ case: id, verdict });
});
