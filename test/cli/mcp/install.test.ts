/** `mcp install`: one entry in the JSON of each agent; nothing else changes. golden/mcp.txt has Codex, and mistakes. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';

const program = useProgram();

/** Creates a folder, and a function that runs `mcp install` in it. */
function useFolder() {
  const folder = mkdtempSync(path.join(program.folder, 'agent-'));
  const main = path.join(program.folder, 'dist/main.js');
  return {
    folder,
    install: async (...args: readonly string[]) =>
      (await promisify(execFile)(process.execPath, [main, 'mcp', 'install', ...args], { cwd: folder })).stdout,
  };
}

const entry = { type: 'stdio', command: 'npx', args: ['field-sandbox', 'mcp'] };

test.each([
  ['claude-code', '.mcp.json', 'mcpServers'],
  ['cursor', '.cursor/mcp.json', 'mcpServers'],
  ['vscode', '.vscode/mcp.json', 'servers'],
])('%s: adds one entry to %s, keeps the rest, and shows the difference', async (client, name, key) => {
  const { folder, install } = useFolder();
  const file = path.join(folder, name);
  const args = ['--client', client];
  expect(await install(...args, '--print')).toContain('+     "field-sandbox": {');
  expect(existsSync(file)).toBe(false);
  await install(...args);
  expect(parse(readFileSync(file, 'utf8'))).toEqual({ [key]: { 'field-sandbox': entry } });
  expect(await install(...args)).toBe(`${name} has this entry already\n`);
  const other =
    '{\n    // Kept.\n    "' +
    key +
    '": {\n        "other": { "command": "x" }, // Kept too.\n    },\n    "inputs": []\n}\n';
  writeFileSync(file, other);
  const shown = await install(...args, '--url', 'http://127.0.0.1:4700', '--project', 'demo', '--read-only');
  const text = readFileSync(file, 'utf8');
  for (const line of other.split('\n').filter((one) => !one.includes('other'))) expect(text).toContain(line);
  expect(text).toContain('        "other": { "command": "x" },\n        "field-sandbox": {\n            "type"');
  expect(parse(text)[key]['field-sandbox'].args.slice(2)).toEqual([
    '--url',
    'http://127.0.0.1:4700',
    '--project',
    'demo',
    '--read-only',
  ]);
  const lines = shown.split('\n').filter((line) => line.startsWith('+'));
  expect(lines[0]).toContain('"other"');
  expect(shown).not.toContain('inputs');
});

test('codex: an empty CODEX_HOME is none', async () => {
  const { out } = await runCommand(['mcp', 'install', '--client', 'codex', '--print'], { CODEX_HOME: '' });
  expect(out).toContain(path.join(homedir(), '.codex', 'config.toml'));
});

test('refuses a file that is not JSON', async () => {
  const { folder, install } = useFolder();
  mkdirSync(path.join(folder, '.cursor'));
  writeFileSync(path.join(folder, '.cursor/mcp.json'), '{\n  "mcpServers": {\n');
  await expect(install('--client', 'cursor')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      '.cursor/mcp.json: line 3: not valid JSON (CloseBraceExpected); nothing was changed',
    ),
  });
});
