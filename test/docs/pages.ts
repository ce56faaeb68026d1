/** Registers the tests of pages: every command on them is run, and every output is compared. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtProgram } from '../harness/build.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { differingOutput } from './output.ts';
import { type Block, readBlocks } from './page.ts';
import { wordsPerSentence } from './prose.ts';
import { createShell, type Shell } from './shell.ts';

/** Programs that a machine may lack; commands of them are then skipped, which is reported. */
const optional = ['python3', 'java', 'javac', 'mvn', 'go', 'dotnet', 'docker'];

const isCommand = ({ language }: Block): boolean => language === 'sh';
const isOutput = ({ language }: Block): boolean => language === 'text' || language === 'json';

/** Registers the tests of all pages in a folder. */
export function testFolder(folder: string): void {
  testPages(
    readdirSync(folder, { encoding: 'utf8' })
      .filter(isPage)
      .map((name) => path.join(folder, name)),
  );
}

const isPage = (name: string): boolean => name.endsWith('.md');

export function testPages(pages: readonly string[]): void {
  const sandbox = useSandbox();
  const shells: Shell[] = [];
  afterAll(async () => {
    for (const shell of shells) await shell.close();
  });

  describe.each(pages)('%s', (page) => {
    const blocks = readBlocks(page);

    test('its commands work as written, with the output shown', { timeout: 90_000 }, async () => {
      const shell = await createShell(sandbox.url(), await builtProgram());
      shells.push(shell);
      await play(blocks, shell);
      await shell.close();
    });

    test('its sentences have at most 17 words on average', () => {
      expect(wordsPerSentence(page)).toBeLessThanOrEqual(17);
    });

    test('its other commands and outputs are tested by files that name the page', () => {
      for (const { at, testedBy } of blocks) {
        if (testedBy === undefined) continue;
        expect(existsSync(testedBy), `${at}: ${testedBy}`).toBe(true);
        expect(readFileSync(testedBy, 'utf8'), `${at}: ${testedBy}`).toContain(page);
      }
    });
  });
}

/** Runs blocks one after another, and compares the outputs on the page with the real ones. */
async function play(blocks: readonly Block[], shell: Shell): Promise<void> {
  let latest: { readonly output: string } | 'skipped' | undefined;
  for (const [n, block] of blocks.entries()) {
    if (block.file !== undefined) shell.write(block.file, block.text);
    else if (block.testedBy !== undefined) latest = 'skipped';
    else if (isCommand(block)) latest = await runBlock(block, shell, isShown(blocks[n + 1]));
    else if (isOutput(block)) compare(block, latest);
  }
}

const isShown = (next: Block | undefined): boolean => next !== undefined && isOutput(next) && next.file === undefined;

async function runBlock(block: Block, shell: Shell, hasOutput: boolean): Promise<{ output: string } | 'skipped'> {
  const missing = optional.filter(
    (name) => new RegExp(`(?:^|-- )${name}\\b`, 'm').test(block.text) && !isInstalled(name),
  );
  if (missing.length > 0) {
    console.warn(`this machine has no ${missing.join(', ')}: ${block.at} was NOT tested`);
    return 'skipped';
  }
  const text = block.text.replace(/^(npm ci && )?npm start( --)?/, 'npx field-sandbox');
  const startsServer = /^npx field-sandbox( start)?( --[^&\n]*)?\n?$/.test(text) && !text.includes('--help');
  try {
    return { output: startsServer ? await shell.start(text) : await shell.run(text, !hasOutput) };
  } catch (error) {
    throw new Error(`${block.at} fails: ${String(error)}`);
  }
}

function compare(block: Block, latest: { readonly output: string } | 'skipped' | undefined): void {
  if (latest === 'skipped') return;
  if (latest === undefined) throw new Error(`${block.at}: an output needs a command before it, or a "tested by"`);
  const real = differingOutput(block.text, latest.output, block.language);
  if (real !== undefined) expect(real, block.at).toBe(block.text.trim());
}

const isInstalled = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
