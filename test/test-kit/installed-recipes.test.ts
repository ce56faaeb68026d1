/** The installed package: the recipes of docs/guides/node-kit.md, and its types. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useInstalled } from '../harness/installed.ts';

const installed = useInstalled(['vitest', 'typescript']);
const page = readFileSync('docs/guides/node-kit.md', 'utf8');

/** Returns the first code block under a heading. */
function blockOf(text: string, heading: string): string {
  const [, block] = /```\w+\n([\s\S]*?)```/.exec(text.slice(text.indexOf(`${heading}\n`))) ?? [];
  if (block === undefined) throw new Error(`there is no code under ${heading}`);
  return block;
}

test('the recipe for node:test works', async () => {
  installed.write('recipe.test.mjs', blockOf(page, '### node:test'));
  const { code, out } = await installed.node('--test', 'recipe.test.mjs');
  expect(out).toMatch(/pass 1\n.*fail 0/s);
  expect(code).toBe(0);
});

test('the same recipe under `run` uses the sandbox of `run`', async () => {
  installed.write('attached.test.mjs', blockOf(page, '### node:test'));
  const program = 'node_modules/field-sandbox/dist/main.js';
  const command = ['--clock', 'frozen', '--', 'node', '--test', 'attached.test.mjs'];
  const { code, out } = await installed.node(program, 'run', ...command);
  expect(out).toMatch(/asyncImportJobs: 202 × 1/);
  expect(code).toBe(0);
});

test('the recipe for Vitest works', async () => {
  installed.write('recipe.test.js', blockOf(page, '### Vitest'));
  const { code, out } = await installed.node('node_modules/vitest/vitest.mjs', 'run', 'recipe.test.js');
  expect(out).toMatch(/1 passed/);
  expect(code).toBe(0);
});

test('the recipe for Vitest tests each failure', async () => {
  installed.write('import-jobs.cjs', blockOf(page, '## Every failure of an operation'));
  installed.write('failures.test.js', blockOf(page, '### Each failure in Vitest'));
  const { code, out } = await installed.node('node_modules/vitest/vitest.mjs', 'run', 'failures.test.js');
  expect(out).toMatch(/19 passed/);
  expect(code).toBe(0);
});

/** Reads a field of every kind of record. An `unknown` or `any` among them is an error. */
const readingRecords = `
    import type { DeviceLocation, Job, OperationId, Order, Route, Snapshot, Trail, User } from 'field-sandbox';
    type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : never;
    const isSame = <One, Other>(_: Same<One, Other>): void => undefined;
    // @ts-expect-error: there is no such operation
    const read = ({ requests }: Project) => requests.waitFor({ operation: 'asyncImportJob' });
    isSame<'READY', Extract<Job['status'], 'READY'>>(true);
    isSame<string, Job['createdAt']>(true);
    isSame<string | undefined, NonNullable<Job['address']>['postcode']>(true);
    isSame<unknown, NonNullable<Job['attributes']>[string]>(true);
    isSame<string[] | undefined, User['roles']>(true);
    isSame<string | undefined, NonNullable<Order['user']>['firstName']>(true);
    isSame<string[], Route['jobs']>(true);
    isSame<[number, number], DeviceLocation['geoJson']['coordinates']>(true);
    isSame<string, Trail['items'][number]['eventDateTime']>(true);
    isSame<string | undefined, NonNullable<Snapshot['jobs'][number]['customer']>['email']>(true);
    isSame<'submitLocation', Extract<OperationId, 'submitLocation'>>(true);
    // @ts-expect-error: a job has no such field
    type None = Job['adress'];
    export const byHand: Snapshot = { version: 1, jobs: [{ id: 'J-1' }], orders: [], routes: [], users: [], locations: [] };`;

test.each([
  ['a module', 'typed.mts', 'node16', 'nodenext'],
  ['CommonJS', 'typed.cts', 'node16', 'nodenext'],
  ['a bundler', 'typed.ts', 'bundler', 'preserve'],
])('%s compiles with its types, without the types of Node', async (_, file, resolution, module) => {
  const types = blockOf(page, '## Types');
  const using = `
    import { startSandbox, createCallbackReceiver } from 'field-sandbox';
    export async function go(): Promise<string> {
      await using sandbox = await startSandbox({ clock: 'frozen', scenarios: [thirdFails], strict: true, memory: '1GB' });
      const receiver = await createCallbackReceiver();
      receiver.answer(500, ({ body }) => body.data.failed.length === 1 ? 200 : { status: 503 });
      const [callback] = await receiver.waitFor({ count: 1, timeout: '1s' });
      const { delivered } = await sandbox.project().clock.advance('idle');
      const [request] = await sandbox.project().requests.waitFor({ status: 202 });
      return [callback?.body.type, delivered.toFixed(), request?.status.toFixed()].join();
    }
    // @ts-expect-error: there is no such option
    void startSandbox({ sead: 'x' });
    ${readingRecords}`;
  installed.write(file, `${types}\n${using}`);
  const strictness = ['--strict', '--skipLibCheck', 'false', '--types', '', '--noEmit', '--target', 'es2022'];
  const libs = ['--lib', 'es2022,esnext.disposable', '--module', module === 'nodenext' ? resolution : module];
  const found = await installed.node(
    'node_modules/typescript/bin/tsc',
    ...[...strictness, ...libs, '--moduleResolution', resolution, file],
  );
  expect(found).toEqual({ code: 0, out: '' });
});
