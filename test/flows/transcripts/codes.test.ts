/** Every error code and every rule with words of its own is in a transcript, so that a change of one shows in a text. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';

const { schemas } = (source as { readonly components: { readonly schemas: Record<string, object> } }).components;
const { enum: codes } = schemas['ErrorCode'] as { readonly enum: readonly string[] };
const folders = ['test/flows/transcripts', 'test/scenarios/golden'];
const texts = folders.flatMap((folder) => readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8')));

test.each(codes)('%s', (code) => {
  const shown = [`"code":"${code}"`, `code: "${code}"`, `\\"code\\":\\"${code}\\"`];
  expect(texts.some((text) => shown.some((one) => text.includes(one)))).toBe(true);
});

const rules = new Set(
  [...JSON.stringify(source).matchAll(/"x-rule":("(?:[^"\\]|\\.)*")/g)].map(([, rule = '']) =>
    String(JSON.parse(rule)).replace(/\.$/, ''),
  ),
);

test.each([...rules])('%s', (rule) => {
  const once = JSON.stringify(rule).slice(1, -1);
  const shown = [once, JSON.stringify(once).slice(1, -1)];
  expect(texts.some((text) => shown.some((one) => text.includes(one)))).toBe(true);
});
