/** Help: short for the program, with the options that many need for a command, and with all on request. */
import { expect, test } from 'vitest';
import { runCommand } from '../harness/cli.ts';

test('the program shows its commands in groups, on one page', async () => {
  const { code, out } = await runCommand(['--help']);
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  expect(out.match(/^[A-Z].*:$/gm)).toEqual([
    ...['Start:', 'Find weaknesses:', 'Callbacks:', 'Look:', 'Real API:', 'Agents:', 'Examples:'],
  ]);
});

test.each(['start', 'run', 'sweep', 'shrink'])('%s shows rare options only with --all', async (command) => {
  const few = await runCommand([command, '--help']);
  expect(few.out).toContain('--scenario');
  expect(few.out).not.toMatch(/--tls|--cluster|--memory|--map-tiles|--host/);
  expect(few.out).toContain(`field-sandbox ${command} --help --all`);
  const all = await runCommand([command, '--help', '--all']);
  expect(all.out).toMatch(/--tls-port(.|\n)*--map-tiles(.|\n)*--memory/);
  expect(all.out).not.toContain('--help --all');
});

test('help names a command like one that does not exist', async () => {
  expect(await runCommand(['help', 'swep'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('unknown command "swep", did you mean sweep?'),
  });
  expect((await runCommand(['help', 'diff'])).out).toBe((await runCommand(['diff', '--help'])).out);
  expect((await runCommand(['help'])).out).toBe((await runCommand(['--help'])).out);
});

test.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
  expect(await runCommand([flag])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('--all is an option of help alone', async () => {
  expect((await runCommand(['check', '--all', 'x.yaml'])).code).toBe(2);
});
