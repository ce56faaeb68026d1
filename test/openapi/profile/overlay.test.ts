/** Overlays of the API document: applied in order, or every mistake at once with file, line and column. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';
import { applyProfileText, checkOverlayText } from '../../../src/config/config-files.ts';
import type { ApiDocument } from '../../../src/openapi/document.ts';
import { applyOverlays } from '../../../src/openapi/profile/overlay/apply-overlays.ts';

const api = source as ApiDocument;
const toText = (...actions: readonly string[]): string =>
  ['overlay: 1.0.0', 'info: { title: Changes, version: "1" }', 'actions:', ...actions.map((one) => `  - ${one}`)].join(
    '\n',
  );
const changed = (...actions: readonly string[]) => {
  const { document, mistakes } = applyOverlays(api, [{ name: 'a.yaml', text: toText(...actions) }]);
  expect(mistakes).toEqual([]);
  return document as unknown as {
    components: { schemas: Record<string, { readonly enum: readonly string[]; readonly properties: object }> };
    info: Record<string, unknown>;
  };
};
/** Returns the first line of each mistake. */
const mistakesOf = async (text: string): Promise<readonly (string | undefined)[]> =>
  (await checkOverlayText(text, 'a.yaml')).map((mistake) => mistake.split('\n')[0]);

describe('an action', () => {
  test('merges objects and appends to lists', () => {
    const before = structuredClone(api);
    const { components, info } = changed(
      '{ target: $.info, update: { title: Mine, x-new: { a: 1 } } }',
      '{ target: $.components.schemas.JobStatus, update: { enum: [LOST] } }',
      '{ target: $.components.schemas.JobStatus.enum, update: FOUND }',
    );
    expect(info).toMatchObject({
      title: 'Mine',
      'x-new': { a: 1 },
      version: (api['info'] as { version: string }).version,
    });
    expect(components.schemas['JobStatus']?.enum.slice(-3)).toEqual(['UNDELIVERED', 'LOST', 'FOUND']);
    expect(api).toEqual(before);
  });

  test('removes fields and items of lists', () => {
    const { components } = changed(
      '{ target: $.components.schemas.Address.properties.locality, remove: true }',
      `{ target: "$.components.schemas.JobStatus.enum[?@ == 'PENDING' || @ == 'ARRIVING']", remove: true }`,
    );
    expect(components.schemas['Address']?.properties).not.toHaveProperty('locality');
    expect(components.schemas['JobStatus']?.enum).not.toContain('PENDING');
    expect(components.schemas['JobStatus']?.enum).not.toContain('ARRIVING');
    expect(components.schemas['JobStatus']?.enum).toContain('DISPATCH');
  });

  test('may have extensions', () => {
    changed('{ target: $.info, x-why: because, update: {} }');
  });
});

describe('a mistake is reported with line and column', () => {
  test.each<[string, string, RegExp]>([
    [
      'a target that matches nothing',
      '{ target: $.components.schemas.Adress, update: {} }',
      /^a\.yaml:4:15 +this target matches nothing .*up to \$.*did you mean Address\?/,
    ],
    ['a target that is no JSONPath', '{ target: "$.a[", update: {} }', /^a\.yaml:4:15 +expected a JSONPath/],
    [
      'a target that is a text',
      '{ target: $.info.title, update: {} }',
      /^a\.yaml:4:15 +this target matches the string/,
    ],
    [
      'an update that is no object',
      '{ target: $.info, update: 5 }',
      /^a\.yaml:4:31 +expected an object to merge, got the number 5/,
    ],
    ['an action without effect', '{ target: $.info }', /^a\.yaml:4:15 +expected `update`, or `remove: true`/],
    ['an unknown key', '{ target: $.info, updat: {} }', /^a\.yaml:4:23 +unknown key "updat", did you mean update/],
    [
      'a removed operation',
      `{ target: "$.paths['/projects/{projectId}/users'].post", remove: true }`,
      /^a\.yaml:4:15 +this action removes the operation registerUser/,
    ],
    [
      'a removed schema',
      '{ target: $.components.schemas.Address, remove: true }',
      /^a\.yaml:4:15 +this action breaks the reference #\/components\/schemas\/Address/,
    ],
    [
      'a removed list',
      '{ target: $.components.schemas.JobCreateList.properties.jobs, remove: true }',
      /^a\.yaml:4:15 +this action removes the list jobs/,
    ],
    [
      'a type that is none',
      '{ target: $.components.schemas.Address.properties, update: { floor: { type: numbr } } }',
      /^a\.yaml:4:15 +this action makes an invalid schema: \/components\/schemas\/Address\/properties\/floor\/type/,
    ],
    [
      'a pattern that is none',
      '{ target: $.components.schemas.Address.properties.postcode, update: { pattern: "(" } }',
      /^a\.yaml:4:15 +this action makes an invalid schema: .*pattern/,
    ],
    [
      'a length that is none',
      '{ target: $.components.schemas.Address.properties.postcode, update: { maxLength: -1 } }',
      /^a\.yaml:4:15 +this action makes an invalid schema: .*maxLength/,
    ],
  ])('%s', async (_what, action, pattern) => {
    const mistakes = await mistakesOf(toText(action));
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(pattern);
  });

  test.each<[string, string, RegExp]>([
    ['another version', 'overlay: 3.1.0\nactions: [{ target: $.info, update: {} }]', /^a\.yaml:1:10 +expected 1\.0\.0/],
    ['no actions', 'overlay: 1.0.0\nactions: []', /^a\.yaml:2:10 +expected at least one action/],
    ['no YAML', 'overlay: [1', /^a\.yaml:\d+:\d+/],
  ])('%s', async (_what, text, pattern) => {
    expect((await mistakesOf(text))[0]).toMatch(pattern);
  });

  test('all at once, also those of the profile and of other overlays', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
    writeFileSync(
      join(folder, 'a.yaml'),
      toText('{ target: $.nothing, remove: true }', '{ target: $.nowhere, remove: true }'),
    );
    const profile = 'overlays: [a.yaml, b.yaml]\nduplicates: rejct\n';
    const applied = await applyProfileText(profile, join(folder, 'profile.yaml'));
    const mistakes = 'mistakes' in applied ? applied.mistakes : [];
    expect(mistakes.map((mistake) => mistake.slice(folder.length + 1).split(/ {2}/)[0])).toEqual([
      'profile.yaml:1:20',
      'profile.yaml:2:13',
      'a.yaml:4:15',
      'a.yaml:5:15',
    ]);
    expect(mistakes[0]).toContain('overlay "b.yaml": file not found');
  });
});
