/** Every file that a command reads: in each encoding that editors and shells write, and files that are no text. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../harness/cli.ts';
import { useSandbox } from '../harness/sandbox.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'text-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

const file = path.join(folder, 'file.json');
const request = {
  method: 'POST',
  url: 'https://api.example/sync/projects/acme/orders',
  postData: { mimeType: 'application/json', text: '{"orders":[{"id":"ä"}]}' },
};
const archive = { log: { entries: [{ request, response: { status: 200 } }] } };
const scenario = 'name: one\ndescription: ä\nrules: [{ then: { latency: 1ms } }]\n';
const baseline = { requests: 0, durationMs: 1, operations: {} };
const sweep = { baseline, cases: [], summary: {}, notTried: 0 };
let recording = '';

beforeAll(async () => {
  await sandbox.api('POST', '/sync/projects/p-1/orders', { orders: [{ id: 'ORD-ä' }] });
  recording = (await sandbox.control('GET', '/projects/p-1/recording')).text;
  writeFileSync(path.join(folder, 'other.json'), recording);
  writeFileSync(path.join(folder, 'named.yaml'), 'overlays: [file.json]\n');
});

/** A text, and a command line that reads it as `file`. */
const readers: readonly (readonly [string, () => string, readonly string[]])[] = [
  ['a scenario', () => scenario, ['check', file]],
  ['a profile', () => 'basePath: /v2\nlimits: { depth: 9 }\n', ['check', file]],
  [
    'an overlay',
    () => 'overlay: 1.0.0\ninfo: { title: ä, version: "1" }\nactions: [{ target: $.info, update: { title: ä } }]\n',
    ['check', file],
  ],
  [
    'an overlay of a profile',
    () => 'overlay: 1.0.0\ninfo: { title: ä, version: "1" }\nactions: [{ target: $.info, update: { title: ä } }]\n',
    ['sample', 'syncImportOrders', '--profile', path.join(folder, 'named.yaml')],
  ],
  ['the profile of a sample', () => 'basePath: /v2 # ä\n', ['sample', 'syncImportOrders', '--profile', file]],
  [
    'the profile of a sweep',
    () => 'basePath: /v2 # ä\n',
    ['coverage', '--sweep', path.join(folder, 'sweep.json'), '--profile', file],
  ],
  ['the scenario of a run', () => scenario, ['run', '--scenario', file, '--', 'true']],
  ['a recording', () => recording, ['replay', file]],
  ['one of two recordings', () => recording, ['diff', file, path.join(folder, 'other.json')]],
  ['an archive', () => JSON.stringify(archive), ['calibrate', file]],
  ['a sweep', () => JSON.stringify(sweep), ['coverage', '--sweep', file]],
];
writeFileSync(path.join(folder, 'sweep.json'), JSON.stringify(sweep));

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** Runs a command, and masks the time that it took. */
async function run(args: readonly string[]) {
  const { code, out, err } = await runCommand(args);
  return { code, out: out.replace(/[\d.]+ m?s\b/g, 'N s'), err: err.replace(/\d+\.\d s|:\d{4,5}/g, 'N') };
}

describe.each(readers)('%s', (_name, toText, args) => {
  test('is read as UTF-8 and UTF-16 with a byte order mark', async () => {
    const text = toText();
    writeFileSync(file, text);
    const plain = await run(args);
    // The rule of the run's scenario never fires.
    expect(plain.code, plain.out + plain.err).toBe(args[0] === 'run' ? 1 : 0);
    for (const bytes of [`\ufeff${text}`, Buffer.from(`\ufeff${text}`, 'utf16le'), utf16be(`\ufeff${text}`)]) {
      writeFileSync(file, bytes);
      expect(await run(args)).toEqual(plain);
    }
  });

  test.each([
    ['UTF-16 without a byte order mark', () => writeFileSync(file, Buffer.from(toText(), 'utf16le')), /UTF-8/],
    ['Latin-1', () => writeFileSync(file, Buffer.from('name: \xe4', 'latin1')), /UTF-8/],
    ['a pipe', () => execFileSync('mkfifo', [file]), /expected a regular file, got a pipe/],
    ['a link to a device', () => symlinkSync('/dev/zero', file), /expected a regular file, got a pipe, device/],
  ])('is refused as %s', async (_kind, create, reason) => {
    rmSync(file, { force: true });
    create();
    const { code, out, err } = await run(args);
    rmSync(file);
    expect(code).toBe(args[0] === 'check' ? 1 : 2);
    expect(out + err).toMatch(reason);
    expect(out + err).toContain('file.json');
  });
});
