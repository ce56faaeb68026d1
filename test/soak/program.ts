/** The built program in a process of its own, started as `npm start` does, with an inspector that looks in. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connectInspector, type Inspector } from './inspector.ts';

/** The program while it runs. */
export interface Program {
  readonly url: string;
  readonly inspector: Inspector;
  /** What it complained of so far. */
  readonly complaints: readonly string[];
  /** How many descriptors it holds; undefined where the system doesn't tell. */
  descriptors(): number | undefined;
  /** Whether it has ended by itself. */
  hasEnded(): boolean;
  /** Tells it to end, and gives back its exit code. */
  stop(): Promise<number | null>;
}

/** Starts it on a free port of this machine. @throws where it ends instead */
export async function startProgram(): Promise<Program> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [, ...command] = scripts.start.split(' ');
  const options = ['--host', '127.0.0.1', '--port', '0', '--json'];
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', ...command, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withoutOptions(),
  });
  // Whatever ends the soak, it does not outlive it.
  process.once('exit', () => child.kill('SIGKILL'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const complaints: string[] = [];
  const [url, inspectorUrl] = await Promise.all([readReady(child), readInspector(child, complaints)]);
  const inspector = await connectInspector(inspectorUrl);
  return {
    url,
    inspector,
    complaints,
    descriptors: () => countDescriptors(child.pid ?? 0),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: async () => {
      inspector.close();
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await ended;
      return code as number | null;
    },
  };
}

/** Its options are those given here alone. */
function withoutOptions(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_')));
}

function readReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the program ended with ${code} before it was ready`)));
    child.stdout?.once('data', (line: Buffer) => {
      const { url } = JSON.parse(String(line).split('\n')[0] ?? '') as { url: string };
      child.stdout?.resume();
      resolve(url);
    });
  });
}

/** What Node itself says of its inspector. */
const inspectorLines = /^(Debugger |For help, see: https:\/\/nodejs|Waiting for the debugger)/;

/** The inspector's address; what else stands on stderr is a complaint. */
function readInspector(child: ChildProcess, complaints: string[]): Promise<string> {
  return new Promise((resolve) => {
    let rest = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, address] = /^Debugger listening on (ws:\S+)/.exec(line) ?? [];
        if (address !== undefined) resolve(address);
        else if (line.trim() !== '' && !inspectorLines.test(line)) complaints.push(line);
      }
    });
  });
}

function countDescriptors(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}
