/** The built program in a process of its own, started as `npm start` does, with an inspector that looks in. */
import { readFileSync } from 'node:fs';
import { type Running, startProcess } from '../rig/process.ts';
import { connectInspector, type Inspector } from './inspector.ts';

/** The program while it runs. */
export interface Program extends Pick<Running, 'pid' | 'isRunning' | 'stop'> {
  readonly url: string;
  readonly inspector: Inspector;
  /** What it complained of so far. */
  complaints(): readonly string[];
}

/** Starts it on a free port of this machine. @throws where it ends instead */
export async function startProgram(): Promise<Program> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [, ...command] = scripts.start.split(' ');
  const options = ['--host', '127.0.0.1', '--port', '0', '--json'];
  const running = startProcess([process.execPath, '--inspect=127.0.0.1:0', ...command, ...options], { kept: 100_000 });
  const url = await running.ready;
  const inspectorUrl = await running.waitFor(({ err }) => /^Debugger listening on (ws:\S+)\n/m.exec(err)?.[1]);
  const inspector = await connectInspector(inspectorUrl);
  return {
    ...running,
    url,
    inspector,
    complaints: () => running.err().split('\n').filter(isComplaint),
    stop: () => {
      inspector.close();
      return running.stop();
    },
  };
}

/** Not what Node itself says of its inspector. */
const isComplaint = (line: string): boolean =>
  line.trim() !== '' && !/^(Debugger |For help, see: https:\/\/nodejs|Waiting for the debugger)/.test(line);
