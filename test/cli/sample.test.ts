import { expect, test } from 'vitest';
import { runSample } from '../../src/cli/sample.ts';
import { sampleBody } from '../../src/sample/sample.ts';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(operation: string, count?: string, seed?: string): Promise<Run> {
  const written = { out: '', err: '' };
  const code = await runSample(
    { operation, count, seed },
    (text) => {
      written.out += text;
    },
    (text) => {
      written.err += text;
    },
  );
  return { code, ...written };
}

test('prints the body, indented and ended by a newline', async () => {
  const body = await sampleBody('asyncImportOrders', { count: 3, seed: 'x' });
  const printed = await run('asyncImportOrders', '3', 'x');
  expect(printed).toEqual({ code: 0, out: `${JSON.stringify(body, null, 2)}\n`, err: '' });
});

test('without options it is one entry, the same each time', async () => {
  const first = await run('asyncImportJobs');
  expect(JSON.parse(first.out).jobs).toHaveLength(1);
  expect(await run('asyncImportJobs')).toEqual(first);
});

test.each(['syncCreateJobs', 'asyncImportRoutes'] as const)(
  'over 1,000 entries of %s stand one a line, and can be sent as printed',
  async (operation) => {
    const { out } = await run(operation, '10000', 'x');
    expect(JSON.parse(out)).toEqual(await sampleBody(operation, { count: 10_000, seed: 'x' }));
    expect(Buffer.byteLength(out)).toBeLessThan(16_000_000);
    expect(out.endsWith('}\n]}\n')).toBe(true);
  },
);

test.each([
  ['asyncImportJob', undefined, 'unknown operation "asyncImportJob", did you mean asyncImportJobs?\n'],
  ['toString', undefined, 'unknown operation "toString"\n'],
  ['', undefined, 'unknown operation ""\n'],
  ['asyncImportJobs', '0', 'count must be a whole number from 1 to 10000, got 0\n'],
  ['asyncImportJobs', '10001', 'count must be a whole number from 1 to 10000, got 10001\n'],
  ['asyncImportJobs', '1e3', 'count must be a whole number, got "1e3"\n'],
  ['asyncImportJobs', '', 'count must be a whole number, got ""\n'],
  ['updateUser', '2', 'the body of updateUser is a single record, so count must be 1, got 2\n'],
])('%s with count %s is refused', async (operation, count, err) => {
  expect(await run(operation, count)).toEqual({ code: 2, out: '', err });
});
