/** docs/reference/profile.md lists every key of the profile, with its default and a valid example. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { operationFacts } from '../../src/config/config-files.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { parseProfile } from '../../src/openapi/profile/profile-file.ts';

interface Row {
  readonly key: string;
  readonly byDefault: string;
  readonly example: string;
}

const rows: readonly Row[] = [
  ...readFileSync('docs/reference/profile.md', 'utf8').matchAll(/^\| `([\w.]+)` \| (.*?) \| `(.*?)` \| /gm),
].map(([, key = '', byDefault = '', example = '']) => ({ key, byDefault, example }));

/** Yields the path and the value of each key that has a default. */
function* eachDefault(value: object, prefix = ''): Generator<readonly [key: string, value: unknown]> {
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && !Array.isArray(inner)) yield* eachDefault(inner, `${prefix}${name}.`);
    else yield [prefix + name, inner];
  }
}

/** Keys that are off by default. */
const optional = [
  ...['records', 'bytes', 'pending', 'scenarios', 'requestsPerSecond'].map((name) => `limits.project.${name}`),
  ...['transitions.jobs', 'transitions.orders', 'rate', 'errors.unknownPath', 'codes'],
  ...['error', 'callback', 'ID'].map((name) => `bodies.${name}`),
  'callbacks.headers',
  'responseHeaders',
];
const ofOperations = ['method', 'path', 'identifiers', 'status', 'mode'].map((name) => `operations.ID.${name}`);

test('the page lists every key, and no other', () => {
  const keys = [...[...eachDefault(shippedProfile)].map(([key]) => key), ...optional, ...ofOperations];
  expect(rows.map(({ key }) => key).sort()).toEqual(keys.sort());
});

test.each([...eachDefault(shippedProfile)])('the default of %s', (key, value) => {
  const text = rows.find((row) => row.key === key)?.byDefault ?? '';
  expect(parse(text.replace(/`/g, ''))).toEqual(value);
});

test.each(rows)('the example of $key', ({ key, example }) => {
  const names = key.replace('bodies.ID', 'bodies.registerUser').replace('ID', 'asyncImportJobs').split('.');
  const text = names.reduceRight<string>((inner, name) => `{ ${name}: ${inner} }`, example);
  const parsed = parseProfile(text, 'example', operationFacts());
  expect(parsed.ok ? [] : parsed.issues.map(({ message }) => message)).toEqual([]);
});
