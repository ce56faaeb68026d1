/** Recipes of a page of docs/, run as they stand there: its files written into a folder, its commands run in it. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect } from 'vitest';
import { environment } from './program.ts';

export interface Recipes {
  /** For the files of the recipes; goes with the test. */
  readonly folder: string;
  /** The text under a heading of the second or third level, up to the next one. */
  section(title: string): string;
  /** The blocks of a language under a heading; what is printed has none, `''`. */
  blocks(title: string, language: string): readonly string[];
  /** A file of the page, by its name. */
  file(name: string): string;
  /** Writes the files that stand under a heading: those named before a block of code. */
  writeFiles(title: string): void;
  /** Writes the files and runs the commands; what they printed. */
  follow(title: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs commands as a shell in the folder; what they printed. */
  run(commands: string, variables?: Readonly<Record<string, string>>): Promise<string>;
}

/** Where recipes are followed, if not beneath the project, and how long their commands may take. */
interface Circumstances {
  readonly folder?: string;
  readonly longestMs?: number;
}

const filePattern = /`([\w.-]+\.\w+)`[^\n`]*:\n\n(?:<!--.*-->\n\n)?```\w+\n([\s\S]*?)```/g;

/** `toHere`: puts in place of the page's addresses those of the test. */
export function useRecipes(
  page: string,
  toHere: (text: string) => string = (text) => text,
  { folder = makeFolder(), longestMs = 25_000 }: Circumstances = {},
): Recipes {
  const text = readFileSync(page, 'utf8');
  const sections = new Map(
    text
      .split(/^#{2,3} /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );

  const self: Recipes = {
    folder,
    section: (title) => {
      const section = sections.get(title);
      if (section === undefined) throw new Error(`${page} has nothing under "${title}"`);
      return toHere(section);
    },
    blocks: (title, language) => {
      const found = [...self.section(title).matchAll(/```(\w*)\n([\s\S]*?)```/g)].filter(
        (match) => match[1] === language,
      );
      expect(found.length, `${title}: ${language}`).toBeGreaterThan(0);
      return found.map(([, , block = '']) => block);
    },
    file: (name) =>
      [...text.matchAll(filePattern)].find((match) => match[1] === name)?.[2] ?? `no ${name} is in ${page}`,
    writeFiles: (title) => {
      for (const [, name = '', content = ''] of self.section(title).matchAll(filePattern)) {
        writeFileSync(path.join(folder, name), content);
      }
    },
    follow: (title, variables) => {
      self.writeFiles(title);
      return self.run(self.blocks(title, 'sh').join('\n'), variables);
    },
    run: async (commands, variables = {}) => {
      const options = { cwd: folder, timeout: longestMs, env: environment(variables) };
      return (await promisify(execFile)('bash', ['-ec', commands], options)).stdout;
    },
  };
  return self;
}

/** Beneath the project, so that its packages are found. */
function makeFolder(): string {
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Whether this machine has a program. */
export const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

/** The project's own compose.yaml, with the lines that are commented out there. */
export function readOwnCompose(): string {
  return readFileSync('compose.yaml', 'utf8').replace(/^ {4}# (environment|volumes| {2})/gm, '    $1');
}
