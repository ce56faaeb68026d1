/** Made-up APIs serve traffic; calibrate, which does not see their profiles, must find them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { runCalibrate } from '../../../src/cli/calibrate/command.ts';
import type { Difference, Summary } from '../../../src/cli/calibrate/report.ts';
import { readProfile } from '../../../src/config/config-files.ts';
import { createIo } from '../../harness/cli.ts';
import { recordTraffic } from './traffic.ts';

interface MadeUpApi {
  readonly profile: object;
  readonly overlay?: object;
  /** Values of `--map` that calibrate does not print complete, at most one for each ambiguous operation. */
  readonly maps?: readonly string[];
}

const apis = path.join(import.meta.dirname, 'apis');
const folder = mkdtempSync(path.join(tmpdir(), 'calibrate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = 300;

async function run(files: readonly string[], options: Parameters<typeof runCalibrate>[1]) {
  const json = path.join(folder, 'report.json');
  const io = createIo();
  const code = await runCalibrate(files, { ...options, json }, io);
  return { code, summary: JSON.parse(readFileSync(json, 'utf8')) as Summary };
}

describe.each(readdirSync(apis))('%s', (file) => {
  test('is found: its requests are mapped, and the proposals agree with it', { timeout: 120_000 }, async () => {
    const api = parse(readFileSync(path.join(apis, file), 'utf8')) as MadeUpApi;
    const name = path.join(folder, path.parse(file).name);
    const overlays = api.overlay ? { overlays: [`${path.basename(name)}.overlay.yaml`] } : {};
    if (api.overlay) writeFileSync(`${name}.overlay.yaml`, stringify(api.overlay));
    writeFileSync(`${name}.api.yaml`, stringify({ ...api.profile, ...overlays }));
    const har = await recordTraffic(await readProfile(`${name}.api.yaml`), { seed: 8, count });
    writeFileSync(`${name}.har`, JSON.stringify(har));
    const files = [`${name}.har`];
    // A path of its own needs a `--map`; those that are printed complete are taken as they are.
    const { unmapped } = (await run(files, {})).summary;
    const printed = unmapped.flatMap(
      ({ map: line = '' }) => /^--map '(.* \/.*=(?!OPERATION)\w+)'$/.exec(line)?.[1] ?? [],
    );
    const map = [...printed, ...(api.maps ?? [])];
    const [write, overlay] = [`${name}.found.yaml`, `${name}.found.overlay.yaml`];
    const first = await run(files, { map, write, overlay });
    const second = await run(files, { map, profile: write });
    expect(first.summary.mapped / first.summary.exchanges).toBeGreaterThanOrEqual(0.95);
    expect(first.code).toBe(1);
    expect(first.summary.agreement).toBeLessThan(1);
    const { actions } = existsSync(overlay) ? parse(readFileSync(overlay, 'utf8')) : { actions: [] };
    for (const { target } of actions) expect(JSON.stringify(first.summary)).toContain(target);
    // What cannot be found is listed: an asynchronous update may be rejected without a visible result.
    const { inexpressible } = first.summary.proposed;
    const toPlaces = (differences: readonly Difference[]) =>
      differences.map(({ operation, kind }) => [operation, kind]);
    expect(toPlaces(inexpressible)).toEqual(expect.arrayContaining(toPlaces(second.summary.differences)));
    if (inexpressible.length === 0) expect(second.summary.agreement).toBe(1);
    expect(second.summary.agreement).toBeGreaterThan(0.99);
    expect(second.summary.agreement).toBe(first.summary.proposed.agreement);
  });
});
