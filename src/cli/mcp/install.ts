/** `field-sandbox mcp install`: adds the command to the configuration of an agent, and shows what changes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, format, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { ConfigError } from '../../config/config-error.ts';
import { isObject } from '../../lib/json.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { ConnectTexts } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';

const name = 'field-sandbox';

/** The options of `mcp install`, and those that it writes into the entry. */
export interface InstallTexts extends ConnectTexts {
  readonly client?: string;
  readonly print?: true;
  readonly project?: string;
  readonly readOnly?: true;
}

/**
 * Where agents read their servers: in the project, but Codex reads that only in trusted projects; and the key of the
 * servers in a JSON file, or undefined for TOML.
 */
const agents = new Map<string, readonly [file: (env: NodeJS.ProcessEnv) => string, key?: string]>([
  ['claude-code', [() => '.mcp.json', 'mcpServers']],
  ['cursor', [() => path.join('.cursor', 'mcp.json'), 'mcpServers']],
  ['vscode', [() => path.join('.vscode', 'mcp.json'), 'servers']],
  ['codex', [({ CODEX_HOME }) => path.join(CODEX_HOME || path.join(homedir(), '.codex'), 'config.toml')]],
]);

/** @returns 0. @throws ConfigError if the agent is unknown or its file cannot be changed */
export async function install(texts: InstallTexts, { env, stdout }: Pick<Io, 'env' | 'stdout'>): Promise<number> {
  const { client = '', url, project, readOnly, print } = texts;
  const names = [...agents.keys()];
  const agent = agents.get(client);
  if (!agent)
    throw new ConfigError([`--client: expected ${names.join(', ')}; got "${client}"${didYouMean(client, names)}`]);
  if (texts.apiKey !== undefined || texts.adminToken !== undefined)
    throw new ConfigError([
      'install stores no secrets: set SANDBOX_API_KEY or SANDBOX_ADMIN_TOKEN where the agent runs',
    ]);
  const options = { '--url': url, '--project': project };
  const given = Object.entries(options).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  const args = [name, 'mcp', ...given, ...(readOnly ? ['--read-only'] : [])];
  const [toFile, key] = agent;
  const file = toFile(env);
  try {
    const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const [, mark = '', text = ''] = /^(\ufeff?)(.*)$/s.exec(before) ?? [];
    const after = mark + (key === undefined ? changeToml(text, args) : changeJson(text, key, args));
    if (after === before) {
      printTo(stdout)(`${file} has this entry already\n`);
      return 0;
    }
    if (!print) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, after);
    }
    printTo(stdout)(`${file}\n${showChange(toLines(before), toLines(after))}\n`);
    return 0;
  } catch (error) {
    throw new ConfigError([`${file}: ${(error as Error).message}; nothing was changed`]);
  }
}

/** Sets the entry in a JSON file, which may have comments. @throws Error if the text is not JSON */
function changeJson(text: string, key: string, args: readonly string[]): string {
  const errors: ParseError[] = [];
  const settings: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {};
  const [error] = errors;
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new Error(`line ${line}: not valid JSON (${printParseErrorCode(error.error)})`);
  }
  if (!isObject(settings)) throw new Error('expected an object');
  const { [key]: servers = {} } = settings;
  if (!isObject(servers)) throw new Error(`${key}: expected an object`);
  const { [name]: old } = servers;
  // An entry of `/_sandbox/mcp` is replaced; what else the user has set stays, such as `env`.
  const { url: _, headers: __, ...kept } = isObject(old) ? old : {};
  const entry = { ...kept, type: 'stdio', command: 'npx', args };
  if (isDeepStrictEqual(old, entry)) return text;
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const form = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
  // Before the other entries: a comment on the last one may follow it.
  const edits = modify(text, [key, name], entry, { getInsertionIndex: () => 0 });
  const changed = applyEdits(text, edits);
  // Lays out the new entry up to the characters around it; the entries beside it stay as they are written.
  const [{ offset, content } = { offset: 0, content: '' }] = edits;
  const range = { offset: Math.max(0, offset - 1), length: content.length + 2 };
  return applyEdits(changed, format(changed, range, form)) + (text === '' ? '\n' : '');
}

/** The table of the entry in a TOML file, up to the next one that is no part of it. */
const ownTable = /^\[mcp_servers\.(?:field-sandbox|"field-sandbox")\][^\n]*(?:\n|$)(?:(?!\[)[^\n]*(?:\n|$))*/m;

/** Lines of the keys that an entry has; a list may have several. */
const ownKeys = /^[ \t]*(?:command|args|url|http_headers)[ \t]*=[ \t]*(?:\[[^\]]*\])?[^\n]*(?:\n|$)/gm;

/** An entry in another form, beside which a table would make the file invalid. */
const otherEntry =
  /^[ \t]*(?:mcp_servers[ \t]*\.[ \t]*)?(?:field-sandbox|"field-sandbox")[ \t]*[.=]|^[ \t]*mcp_servers[ \t]*=/m;

/** Sets the table of the entry in a TOML file. What else the user has set there stays. */
function changeToml(text: string, args: readonly string[]): string {
  const table = `[mcp_servers.${name}]\ncommand = "npx"\nargs = ${JSON.stringify(args)}\n`;
  if (ownTable.test(text))
    return text.replace(ownTable, (old) => table + old.replace(/^.*\n?/, '').replace(ownKeys, ''));
  if (otherEntry.test(text)) throw new Error(`expected ${name} as a table [mcp_servers.${name}]: change it by hand`);
  return text === '' ? table : `${text.replace(/\n*$/, '\n\n')}${table}`;
}

const toLines = (text: string): readonly string[] => (text === '' ? [] : text.trimEnd().split('\n'));

/** Shows the lines that differ, between those that both texts begin and end with. */
function showChange(before: readonly string[], after: readonly string[]): string {
  const start = after.findIndex((line, at) => line !== before[at]);
  const same = after.toReversed().findIndex((line, at) => line !== before.at(-1 - at));
  const end = Math.min(same, before.length - start, after.length - start);
  const cut = (lines: readonly string[], sign: string) =>
    lines.slice(start, lines.length - end).map((line) => `${sign} ${line}`);
  return [...cut(before, '-'), ...cut(after, '+')].join('\n');
}
