/** The installed package: every way to load it, and a clean exit. Its recipes and types: installed-recipes.test.ts. */
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/index.ts';
import { useInstalled } from '../harness/installed.ts';

const installed = useInstalled();

const use = `
  const signals = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection', 'beforeExit', 'exit'];
  const countHandlers = () => signals.reduce((sum, name) => sum + process.listenerCount(name), 0);
  const before = countHandlers();
  const sandbox = await startSandbox();
  const receiver = await createCallbackReceiver();
  const project = sandbox.project();
  await project.callbacks.sendTo(receiver.url);
  await fetch(project.url + '/async/projects/' + project.id + '/jobs', {
    method: 'POST', headers: { apikey: sandbox.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ jobs: [{ id: 'FAIL-1' }] }),
  });
  await receiver.waitFor();
  const waits = Array.from({ length: 20 }, () => project.requests.waitFor({ count: 9, timeout: '10m' }));
  for (const wait of waits) wait.catch(() => undefined);
  await Promise.all([sandbox.close(), receiver.close()]);
  console.log('closed', countHandlers() - before);`;

test.each([
  ['import', 'use.mjs', `import { startSandbox, createCallbackReceiver } from 'field-sandbox';${use}`],
  [
    'require',
    'use.cjs',
    `const { startSandbox, createCallbackReceiver } = require('field-sandbox');(async () => {${use}})();`,
  ],
])('loaded by %s, it leaves no handlers, no handles and no warnings', async (_, file, text) => {
  installed.write(file, text);
  expect(await installed.node(file)).toEqual({ code: 0, out: 'closed 0\n' });
});

test('a body that waits for nothing fails at its time limit, in a running sandbox too', async () => {
  await using sandbox = await startSandbox();
  const { url } = sandbox;
  installed.write(
    'hangs.mjs',
    `import { forEachFailure } from 'field-sandbox';
    process.env.SANDBOX_URL = '${url}';
    const options = { operation: 'asyncImportJobs', kinds: 'status-503', timeout: 50 };
    await forEachFailure(options, () => new Promise(() => undefined)).catch(({ code }) => console.log(code));`,
  );
  expect(await installed.node('hangs.mjs')).toEqual({ code: 0, out: 'failed\n' });
});

test('a wait of a listener ends at its time limit, also if the sandbox has gone', async () => {
  installed.write(
    'gone.mjs',
    `import { startSandbox } from 'field-sandbox';
    const gone = await startSandbox();
    process.env.SANDBOX_URL = gone.url;
    const sandbox = await startSandbox();
    const listener = await sandbox.project().listen();
    await gone.close();
    await listener.waitFor({ timeout: 200 }).catch(({ message }) => console.log(message.split(', ')[1]));
    await sandbox.close();`,
  );
  expect(await installed.node('gone.mjs')).toEqual({
    code: 0,
    out: 'which waits for the sandbox: it is stopping; received: nothing\n',
  });
});
