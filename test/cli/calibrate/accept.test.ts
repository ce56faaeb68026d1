/** Accepting what `calibrate` proposes: the files of `--write` and `--overlay`, again and again. */
import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createFolder, imported, runOn, type Sent, writeHar } from './run-calibrate.ts';

const folder = createFolder();

const withField = (id: string, name: string): Sent => ({
  ...imported(id),
  body: { orders: [{ id, [name]: 'some' }] },
});

test('a second change is added to the overlay of the first', async () => {
  const [profile, write, overlay] = ['sandbox.yaml', 'proposed.yaml', 'proposed.overlay.yaml'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  const first = writeHar(folder, [withField('A', 'colour')]);
  expect((await runOn(folder, first, { write, overlay })).code).toBe(1);
  renameSync(write, profile);
  const both = writeHar(folder, [withField('A', 'colour'), withField('B', 'weight')]);
  expect((await runOn(folder, both, { profile, write, overlay })).code).toBe(1);
  expect(parse(readFileSync(write, 'utf8'))).toMatchObject({ overlays: ['proposed.overlay.yaml'] });
  const { actions } = parse(readFileSync(overlay, 'utf8'));
  expect(JSON.stringify(actions)).toMatch(/colour.*weight/);
  expect(await runOn(folder, both, { profile: write })).toMatchObject({ code: 0, summary: { agreement: 1 } });
});
