/** The README and its pages: options and scenarios are the program's own, and commands work when they are pasted. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { optionTable } from '../src/config/option-table.ts';
import { shippedScenarios } from '../src/scenarios/shipped.ts';
import { useSandbox } from './harness/sandbox.ts';

const sandbox = useSandbox();
const readme = readFileSync('README.md', 'utf8');
const tablePattern = /(<!-- options: .* -->\n)[\s\S]*?(<!-- \/options -->)/;

function toTable(): string {
  const cell = (text: string): string => text.replace(/\|/g, '\\|');
  const rows = optionTable.map(({ flag, env, defaultText: usual, help, repeatable, onlyEnv }) => {
    const name = onlyEnv ? '' : `\`${cell(flag)}\``;
    const value = usual === '' || flag.startsWith('--no-') ? '' : `\`${usual}\``;
    return `| ${name} | \`${env}\` | ${value} | ${cell(help)}${repeatable ? ' (repeatable)' : ''} |`;
  });
  return ['', '| option | environment | default | |', '| --- | --- | --- | --- |', ...rows, '', ''].join('\n');
}

// `npx vitest run test/readme.test.ts -u` writes it anew.
test('the table of options matches the program', async () => {
  const wanted = readme.replace(tablePattern, (_all, open: string, close: string) => open + toTable() + close);
  await expect(wanted).toMatchFileSnapshot('../README.md');
});

test('the page contains every shipped scenario', async () => {
  const sections = shippedScenarios.map(({ name, scenario, text }) => {
    const rules = text.slice(text.indexOf('rules:')).trimEnd();
    return `### ${name}\n\n${scenario.description?.trim()}\n\n\`\`\`yaml\n${rules}\n\`\`\`\n`;
  });
  const page = readFileSync('docs/reference/scenarios.md', 'utf8');
  const wanted = page.replace(
    /(<!-- shipped: .* -->\n)[\s\S]*?(<!-- \/shipped -->)/,
    (_all, open: string, close: string) => `${open}\n${sections.join('\n')}\n${close}`,
  );
  await expect(wanted).toMatchFileSnapshot('../docs/reference/scenarios.md');
});

test('the commands work as they are written', async () => {
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  const commands = blocks
    .filter((block) => block.startsWith('curl'))
    .map((block) => block.replaceAll('http://127.0.0.1:4600', sandbox.url()));
  expect(commands.length).toBeGreaterThan(3);
  const outputs: string[] = [];
  for (const command of commands) {
    const { stdout } = await promisify(execFile)('bash', [
      '-ec',
      command.replace(/^curl/gm, 'curl -sS --fail-with-body'),
    ]);
    outputs.push(stdout);
  }
  expect(outputs[0]).toContain('did you mean DELIVERED?');
  expect(outputs[1]).toContain('Address could not be geocoded');
  expect(outputs.at(-1)).toMatch(/"processed":1,"delivered":1,"pending":0/);
});
