/** Overlays of the API document. cli/golden/check-profiles.txt has their mistakes. */
import { describe, expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';
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
