import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../harness/cli.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function check(...files: string[]): Promise<{ code: number | null; printed: string }> {
  const { code, out } = await runCommand(['check', ...files]);
  return { code, printed: out };
}

test.each([
  ['scenario', 'name: many\nrules:\n', (n: number) => `  - then: { refuze: ${n} }\n`],
  ['profile', 'callbacks:\n  timeot: 5s\nerrors:\n', (n: number) => `  invalid${n}: 400\n`],
])('reports the first hundred mistakes of a %s, and that there are more', async (name, head, line) => {
  const few = write(`few-${name}.yaml`, head + Array.from({ length: 30 }, (_, n) => line(n)).join(''));
  const many = write(`many-${name}.yaml`, head + Array.from({ length: 150 }, (_, n) => line(n)).join(''));
  expect((await check(few)).printed).toMatch(/\n\d+ mistakes\n$/);
  const { code, printed } = await check(many);
  expect(code).toBe(1);
  expect(printed.split('\n').filter((text) => text.startsWith(`${many}:`))).toHaveLength(100);
  expect(printed).toContain('there are more mistakes; fix these to see them\n');
  expect(printed).toMatch(/\n100 mistakes or more\n$/);
});
