/** Builds and installs the package in a folder like a user's, with its dependencies in node_modules. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { builtProgram } from './build.ts';

/** Exit code and output of a command. */
export interface CommandResult {
  readonly code: number | string;
  readonly out: string;
}

export interface Installed {
  /** Writes a file into the folder. */
  write(file: string, text: string): void;
  /** Runs Node in the folder until it exits. After a timeout, kills it: `code` is then `killed`. */
  node(...args: readonly string[]): Promise<CommandResult>;
}

/** Timeout, much longer than any command takes. */
const maxMs = 25_000;

/** Builds and installs the package. `tools` lists further packages to install, in this project's versions. */
export function useInstalled(tools: readonly string[] = []): Installed {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-installed-'));
  const home = path.join(folder, 'node_modules/field-sandbox');

  beforeAll(async () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    for (const name of [...Object.keys(dependencies), ...tools]) {
      const link = path.join(folder, 'node_modules', name);
      mkdirSync(path.dirname(link), { recursive: true });
      symlinkSync(path.resolve('node_modules', name), link);
    }
    mkdirSync(home);
    cpSync('package.json', path.join(home, 'package.json'));
    cpSync(await builtProgram(), path.join(home, 'dist'), { recursive: true });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  return {
    write: (file, text) => writeFileSync(path.join(folder, file), text),
    node: (...args) =>
      new Promise((ended) => {
        const options = { cwd: folder, env: environment(), timeout: maxMs };
        const child = execFile(process.execPath, args, options, (error, out, err) =>
          ended({ code: error === null ? 0 : (error.code ?? 'killed'), out: out + err }),
        );
        child.stdin?.end();
      }),
  };
}

/** Returns the environment without sandbox options and without the variables of the test runner. */
function environment(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SANDBOX_|VITEST|NODE_|TEST$)/.test(name));
  return Object.fromEntries(inherited);
}
