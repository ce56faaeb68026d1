/** No control character of a file name, recording or argument reaches the terminal. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/cli/frame/run-cli.ts';
import { createIo } from '../harness/cli.ts';
import { useSandbox } from '../harness/sandbox.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'control-characters-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

/** Clears the screen, in both forms; rings; reverses and hides text; changes the window's title. */
const evil = 'x\u001b[2J\u009b2J\u0007\u202e\u2066\u200f\u001b[8m\u001b]0;title\u0007';
const ownStyles = /\p{Cc}\[(?:1|22|31|32|33|39|90)m/gu;
const inFolder = (name: string): string => path.join(folder, name);
const evilFile = inFolder(`${evil}.json`);

beforeAll(async () => {
  await sandbox.api('POST', '/sync/projects/p-1/orders', { orders: [{ id: 'ORD-1' }] });
  const { body: recording } = await sandbox.control('GET', '/projects/p-1/recording');
  const named = { ...recording, project: evil };
  writeFileSync(evilFile, JSON.stringify(named));
  writeFileSync(inFolder('seed.json'), JSON.stringify({ ...named, seed: evil }));
  writeFileSync(inFolder(`${evil}.yaml`), `name: ${evil}\nrules: []\n"k${evil}": 1\n`);
  writeFileSync(inFolder('profile.yaml'), 'identifiers: { projectId: body }\n');
  writeFileSync(inFolder('client.sh'), `printf '\\033[2J\\302\\233'; exit 3\n`);
  const url = `https://api.example/${evil}`;
  const request = { method: 'GET', url };
  writeFileSync(
    inFolder('traffic.har'),
    JSON.stringify({ log: { entries: [{ request, response: { status: 200 } }] } }),
  );
});

const commandLines: readonly (readonly string[])[] = [
  [evil],
  ['check', evil, inFolder(`${evil}.yaml`)],
  ['check', `--${evil}`],
  ['replay', evil],
  ['replay', evilFile],
  ['replay', folder],
  ['replay', evilFile, inFolder('seed.json'), '--scenario', evil],
  ['diff', evilFile, inFolder('seed.json')],
  ['diff', evilFile, evil],
  ['calibrate', inFolder('traffic.har'), evil],
  ['calibrate', inFolder('traffic.har'), '--map', evil],
  ['calibrate', inFolder('traffic.har')],
  ['coverage', '--sweep', evilFile],
  ['coverage', '--url', 'http://127.0.0.1:9', '--project', evil],
  ['coverage', '--operation', evil, '--sweep', inFolder('seed.json')],
  ['sample', evil],
  ['sample', 'syncImportOrders', '--profile', evil],
  ['sample', 'syncImportOrders', '--project', evil, '--profile', inFolder('profile.yaml')],
  ['sample', 'syncImportOrders', '--locale', evil],
  ['run', '--scenario', evil, '--', 'true'],
  ['run', '--scenario', inFolder(`${evil}.yaml`), '--', 'true'],
  ['run', '--', evil],
  ['run', '--record', inFolder(evil), '--', 'sh', '-c', 'exit 0', evil],
  ['run', '--junit', `${evil}/x`, evil, '--', 'true'],
  ['sweep', '--known', evil, '--operation', evil, '--', 'true'],
  ['sweep', '--out', inFolder('out'), '--', 'sh', inFolder('client.sh')],
  ['shrink', '--scenario', evil, '--out', evil, '--', 'true'],
  ['verify-receiver', `http://127.0.0.1:9/${evil}`],
  ['listen', '--url', evil, '--forward-to', evil],
  ['health', '--host', evil],
  ['start', '--profile', evil],
  ['start', '--scenario-dir', evil, '--clock', evil],
];

// Titles have the place of a control character only.
const titled = commandLines.map((args) => [args.join(' ').replaceAll(evil, '⚠').replaceAll(folder, ''), args] as const);

test.each(titled)('%s', async (_title, args) => {
  for (const isTerminal of [false, true]) {
    const io = createIo({}, isTerminal);
    await runCli(args, io);
    const shown = (io.written.out + io.written.err).replace(isTerminal ? ownStyles : '', '');
    expect(shown).not.toBe('');
    expect(shown.match(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu)).toBe(null);
  }
});
