/**
 * Plays a session: files and requests before a command, the command line, and then its exit code, output and files.
 *
 * ```text
 * # title
 * save one.json GET /_sandbox/projects/p/recording   (a response of the sandbox at URL, to a file)
 * send POST /async/projects/p/jobs, x-sandbox-scenario: outage {"jobs":[]}
 * try POST /async/projects/p/jobs {"job":[]}         (whatever comes of it)
 * replace one.json ORD-1 => ORD-2
 * shell mkfifo pipe                                  (a command in DIR, where PROJECT is the folder of this project)
 * process                                            (the command is the built program, in DIR)
 * env SANDBOX_LOG=json
 * terminal 80                                        (the output is a terminal of this width)
 * after TEXT => send POST …                          (when the output has the text, behind that of the step before)
 * after TEXT => signal SIGINT                        (or `abort`)
 * one.yaml:                                          (a file before the command)
 * | name: one
 * $ check DIR/one.yaml
 * exit 0
 * stdout:
 * | …
 * $ TZ=Asia/Tokyo check DIR/one.yaml                 (another command in the same folder, with a variable)
 * ```
 *
 * DIR is the folder of the session; URL and PORT are those of a sandbox, LOCKED is one with an admin
 * token, RECEIVER is a correct receiver of callbacks, FAULTY a wrong one, GONE one that wants none, and
 * ANSWERS/500/204 one that answers in turn. Ports, durations, times and ids are masked.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runCli } from '../../../src/cli/frame/run-cli.ts';
import { builtProgram } from '../../harness/build.ts';
import { createIo } from '../../harness/cli.ts';
import { environment, startProcess } from '../../rig/process.ts';

export type Places = Readonly<
  Record<'URL' | 'PORT' | 'LOCKED' | 'RECEIVER' | 'TLS_RECEIVER' | 'FAULTY' | 'GONE' | 'ANSWERS', string>
>;

export interface Session {
  /** Lines before the first command, as they are. */
  readonly head: readonly string[];
  readonly commands: readonly { readonly command: string; readonly code: string }[];
}

/** Reads the sessions of a file, without their output. */
export function parseSessions(text: string): readonly Session[] {
  return text
    .split(/^(?=# )/m)
    .filter((session) => session.trim() !== '')
    .map((session) => {
      const [head = '', ...others] = session.split(/^\$ /m);
      const commands = others
        .map((one) => one.split('\n'))
        .map(([command = '', exit = '']) => ({ command, code: exit.slice(5) }));
      return { head: head.split('\n').slice(0, -1), commands };
    });
}

/** Plays a session in a folder of its own. @returns its text, with the output of now */
export async function playSession({ head, commands }: Session, places: Places): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-golden-'));
  const named = [['DIR', folder] as const, ...Object.entries(places)];
  const fill = (text: string): string =>
    named.reduce((all, [name, value]) => all.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), value), text);
  const mask = createMask(named);
  try {
    const prepared = await prepare(head.map(fill), folder, places.URL);
    const lines = [...head];
    for (const { command } of commands) {
      const before = listFiles(folder, command);
      const { code, out, err } = await playCommand(fill(command), folder, places.URL, prepared);
      const after = listFiles(folder, command);
      const written = [...after].filter(([file, text]) => before.get(file) !== text);
      const gone = [...before.keys()].filter((file) => !after.has(file));
      lines.push(
        ...[`$ ${command}`, `exit ${code}`, ...toBlock('stdout', mask(out)), ...toBlock('stderr', mask(err))],
        ...written.flatMap(([file, text]) => toBlock(file, isRecording(text) ? '(a recording)\n' : mask(text))),
        ...gone.map((file) => `deleted: ${file}`),
      );
    }
    return [...lines, ''].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Plays a command, which may have variables of its own before it. */
function playCommand(command: string, folder: string, url: string, { env, ...prepared }: Prepared) {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match.slice(1).join(''));
  const argv = words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word)));
  const own = words.slice(0, words.length - argv.length).map((word) => word.split(/=(.*)/s));
  const all = { ...prepared, env: { ...env, ...Object.fromEntries(own) } };
  return prepared.isProcess ? runProcess(argv, folder, url, all) : play(argv, url, all);
}

interface Prepared {
  readonly isProcess: boolean;
  readonly env: Record<string, string>;
  /** The width of the terminal. */
  readonly columns: number | undefined;
  /** Steps while the command runs, each when the output has its text. */
  readonly later: readonly (readonly [text: string, step: string])[];
}

/** Writes the files, sends the requests, and reads the environment. */
async function prepare(head: readonly string[], folder: string, url: string): Promise<Prepared> {
  const env: Record<string, string> = {};
  const later: (readonly [string, string])[] = [];
  let columns: number | undefined;
  let isProcess = false;
  let file = '';
  const write = (name: string, text: string): void => {
    const target = path.join(folder, name);
    mkdirSync(path.dirname(target), { recursive: true });
    appendFileSync(target, text);
  };
  const steps: Readonly<Record<string, (rest: string) => unknown>> = {
    '': () => undefined,
    '#': () => undefined,
    '|': (line) => write(file, `${line}\n`),
    send: (rest) => request(url, rest),
    try: (rest) => request(url, rest).catch(() => undefined),
    save: async (rest) => write(firstWord(rest), await request(url, afterWord(rest))),
    replace: (rest) => replaceIn(path.join(folder, firstWord(rest)), afterWord(rest)),
    shell: (rest) => {
      execFileSync('sh', ['-e', '-c', rest], { cwd: folder, env: environment({ PROJECT: process.cwd() }) });
    },
    process: () => {
      isProcess = true;
    },
    env: (rest) => Object.assign(env, Object.fromEntries([rest.split(/=(.*)/)])),
    terminal: (rest) => {
      columns = Number(rest);
    },
    after: (rest) => {
      const [text = '', step = ''] = rest.split(' => ');
      later.push([text, step]);
    },
  };
  for (const line of head) {
    const step = steps[firstWord(line)];
    if (step) await step(afterWord(line));
    else if (line.endsWith(':')) file = line.slice(0, -1);
    else throw new Error(`unknown line: ${line}`);
  }
  return { isProcess, env, columns, later };
}

const firstWord = (line: string): string => line.split(' ')[0] ?? '';
const afterWord = (line: string): string => line.slice(firstWord(line).length + 1);

async function request(url: string, line: string): Promise<string> {
  const [, method = '', target = '', pairs = '', body] =
    /^(\S+) ([^\s,]+)((?:, [\w-]+: [^\s,]+)*)(?: (.*))?$/.exec(line) ?? [];
  const own = [...pairs.matchAll(/, ([\w-]+): ([^\s,]+)/g)].map(([, name = '', value = '']) => [name, value]);
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', ...Object.fromEntries(own) };
  const response = await fetch(`${url}${target}`, { method, headers, ...(body !== undefined && { body }) });
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status}`);
  return response.text();
}

function replaceIn(file: string, rule: string): void {
  const [from = '', to = ''] = rule.split(' => ');
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(file, text.replaceAll(from, to));
}

async function runProcess(argv: readonly string[], cwd: string, url: string, { env, later }: Prepared) {
  const main = path.join(await builtProgram(), 'main.js');
  const { ended, waitFor, signal } = startProcess([process.execPath, main, ...argv], { variables: env, cwd });
  for (const [text, step] of later) {
    await waitFor(({ out, err }) => (out + err).includes(text) || undefined);
    if (firstWord(step) === 'send') await request(url, afterWord(step));
    else signal(afterWord(step) as NodeJS.Signals);
  }
  return ended;
}

async function play(argv: readonly string[], url: string, { env, columns, later }: Prepared) {
  const stopped = new AbortController();
  const io = createIo(env, columns !== undefined);
  const steps = [...later];
  let unread = '';
  let failure: unknown;
  const act = async (step: string): Promise<void> => {
    if (step === 'abort') stopped.abort();
    else if (firstWord(step) === 'send') await request(url, afterWord(step));
    else process.emit(afterWord(step) as 'SIGINT', afterWord(step) as 'SIGINT');
  };
  const proceed = async (): Promise<void> => {
    const [text = '', step = ''] = steps[0] ?? [];
    if (steps.length === 0 || !unread.includes(text)) return;
    unread = unread.slice(unread.indexOf(text) + text.length);
    steps.shift();
    await act(step);
    await proceed();
  };
  let proceeding = Promise.resolve();
  const watch = <Stream extends NodeJS.WritableStream>(stream: Stream): Stream => {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]): boolean => {
      unread += args[0];
      proceeding = proceeding.then(proceed).catch((error) => {
        failure ??= error;
        stopped.abort();
      });
      return write(...args);
    };
    return Object.assign(stream, { columns });
  };
  const watched = { ...io, stdout: watch(io.stdout), stderr: watch(io.stderr), signal: stopped.signal };
  const late = setTimeout(() => {
    if (steps.length === 0) return;
    failure ??= new Error(`${argv.join(' ')}: the output has no ${steps[0]?.join(' => ')}, got ${unread}`);
    stopped.abort();
  }, 20_000);
  const code = await runCli(argv, watched);
  clearTimeout(late);
  if (failure !== undefined) throw failure;
  return { code, ...io.written };
}

/**
 * Returns the texts of all files in a folder, by their path in it, and the empty folders that the command names.
 * Those of Git are left out.
 */
function listFiles(folder: string, command: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const read = (name: string): string | undefined => {
    const file = path.join(folder, name);
    const stats = statSync(file);
    if (stats.isFile()) return readFileSync(file, 'utf8');
    const isNamed = stats.isDirectory() && command.includes(`DIR/${name} `);
    return isNamed && readdirSync(file).length === 0 ? '(an empty folder)\n' : undefined;
  };
  const own = names.filter((name) => !name.startsWith('.git/'));
  const all = own.map((name) => [name, read(name)] as const);
  return new Map(all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

function isRecording(text: string): boolean {
  return text.startsWith('{"recording":');
}

function toBlock(name: string, text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : [...text.split('\n'), '(no newline at the end)'];
  return [`${name}:`, ...lines.map((line) => `| ${line}`.trimEnd())];
}

/** Returns a function that replaces what differs from run to run. */
function createMask(named: readonly (readonly [string, string])[]): (text: string) => string {
  const relative = named.map(([name, value]) => [name, path.relative(process.cwd(), value)] as const);
  const longestFirst = [...named, ...relative].toSorted(([, one], [, other]) => other.length - one.length);
  return (text) =>
    longestFirst
      .reduce((all, [name, value]) => all.replaceAll(value, name), stripVTControlCharacters(text))
      .replaceAll(process.cwd(), 'PROJECT')
      .replaceAll(process.execPath, 'node')
      .replaceAll(/\/\S+\/field-sandbox-prove-\w{6}/g, 'TREES')
      .replaceAll(/127\.0\.0\.1:(?!4600\b)\d{4,}/g, '127.0.0.1:PORT')
      .replaceAll(/\b\d+(\.\d+)? m?s\b(?! from)/g, 'N s')
      .replaceAll(/\babout \d+ (second|minute)s?\b/g, 'about N s')
      .replaceAll(/\b\d+(\.\d+)? per second/g, 'N per second')
      .replaceAll(/"(durationMs|ms)":( ?)[\d.]+/g, '"$1":$20')
      .replaceAll(/"time":\d{13}\b/g, '"time":0')
      .replaceAll(/\btime="[\d.]+"/g, 'time="N"')
      .replaceAll(/"webhook-timestamp":"\d+"/g, '"webhook-timestamp":"SECONDS"')
      .replaceAll(/\bv1,[\w+/]{43}=/g, 'v1,SIGNATURE')
      .replaceAll(/"date":"[^"]+ GMT"/g, '"date":"DATE"')
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'SHA256')
      .replaceAll(/(?<=answered \d+ every time: the command sent )\d+/g, 'N')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, maskTime)
      .replaceAll(/(?<!T)\b\d\d:\d\d:\d\d\.\d{3}\b(?!Z)/g, 'TIME')
      .replaceAll(/\b(msg|req)_\w+/g, '$1_ID');
}

/** Masks a time of today; times in samples and messages do not depend on the clock. */
function maskTime(text: string): string {
  return Math.abs(Date.now() - Date.parse(text)) < 86_400_000 ? 'TIME' : text;
}
