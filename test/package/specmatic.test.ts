/**
 * The recipe for Specmatic of docs/guides/schemathesis-specmatic.md, run as written against a sandbox.
 * Run by `npm run test:package`, since Specmatic is fetched for it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { has, useRecipes } from '../harness/recipes.ts';
import { useSandbox } from '../harness/sandbox.ts';

const page = 'docs/guides/schemathesis-specmatic.md';
const sandbox = useSandbox();
const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-specmatic-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');

const maxMs = 400_000;
const toHere = (text: string) => text.replaceAll('http://127.0.0.1:4600', sandbox.url());
const recipe = useRecipes(page, toHere, { folder, maxMs });

const missing = [
  ...(has('npm', 'view', 'specmatic', 'version') ? [] : ['package registry']),
  ...(has('java', '-version') ? [] : ['Java']),
];
if (missing.length > 0) console.warn(`here is no ${missing.join(' and no ')}: the recipe of ${page} was NOT tested`);

test.skipIf(missing.length > 0)(
  'Specmatic finds no difference between the document and the sandbox',
  async () => {
    const output = await recipe.follow('Specmatic');
    expect(output).toMatch(/^Tests run: 12, Successes: 12, Failures: 0, WIP: 0, Errors: 0$/m);
    expect(output).not.toContain('has FAILED');
  },
  maxMs,
);
