/** Runs the recipes of a docs/ page unchanged: writes their files into a folder, and runs their commands there. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect } from 'vitest';
import { environment } from './program.ts';

export interface Recipes {
  /** Folder for the files of the recipes; deleted after the tests. */
  readonly folder: string;
  /** Returns the text under a heading of level two or three, up to the next heading. */
  section(title: string): string;
  /** Returns the code blocks of a language under a heading. Blocks of output have the language `''`. */
  blocks(title: string, language: string): readonly string[];
  /** Returns the content of a file on the page, by its name. */
  file(name: string): string;
  /** Writes the files under a heading: code blocks that follow a file name. */
  writeFiles(title: string): void;
  /** Writes the files, runs the commands, and returns their output. */
  follow(title: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs shell commands in the folder, and returns their output. */
  run(commands: string, variables?: Readonly<Record<string, string>>): Promise<string>;
}

interface RecipeOptions {
  /** Where to run the recipes. Default: a new folder inside this project. */
  readonly folder?: string;
  /** Timeout of the commands, in milliseconds. */
  readonly maxMs?: number;
}

const filePattern = /`([\w.-]+\.\w+)`[^\n`]*:\n\n(?:<!--.*-->\n\n)?```\w+\n([\s\S]*?)```/g;

/** Reads the recipes of a page. `toHere` replaces the page's addresses by those of the test. */
export function useRecipes(
  page: string,
  toHere: (text: string) => string = (text) => text,
  { folder = makeFolder(), maxMs = 25_000 }: RecipeOptions = {},
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
      const options = { cwd: folder, timeout: maxMs, env: environment(variables) };
      return (await promisify(execFile)('bash', ['-ec', commands], options)).stdout;
    },
  };
  return self;
}

/** Creates a folder inside this project, so that recipes find its packages. */
function makeFolder(): string {
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns whether this machine has a program. */
export const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

/** Returns this repository's compose.yaml with the optional lines, which are comments in the file. */
export function readOwnCompose(): string {
  return readFileSync('compose.yaml', 'utf8').replace(/^ {4}# (environment|volumes| {2})/gm, '    $1');
}
