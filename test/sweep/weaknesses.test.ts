/** Sweeps of the weak reference clients: each weakness is found. */
import { expect, test } from 'vitest';
import { isFull, sampleOf } from '../harness/amounts.ts';
import { weaknesses } from './clients/weaknesses.mjs';
import { runSweep } from './run-sweep.ts';

/** The first case of each weakness; in full mode all. */
const findings = Object.entries(weaknesses).flatMap(([name, { cases }]) =>
  Object.entries(cases)
    .slice(0, isFull ? undefined : 1)
    .map(([id, verdict]) => [name, id, verdict] as const),
);

test.concurrent.each(sampleOf(findings, 5))('%s: %s is %s', { timeout: 120_000 }, async (name, id, verdict) => {
  const [operation = '', kind = ''] = id.split('/');
  const command = [process.execPath, 'test/sweep/clients/weak.mjs', name];
  const { cases } = await runSweep({ command, operations: [operation], kinds: [kind] });
  expect(cases.find((one) => one.case === id)).toMatchObject({ case: id, verdict });
});
