/** `field-sandbox coverage`: responses of other servers. golden/coverage.txt has the rest. */
import { expect, test } from 'vitest';
import { runCli } from '../../../src/cli/frame/run-cli.ts';
import { createIo, runCommand } from '../../harness/cli.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const server = useReceiver();
const sandbox = useSandbox();

test.each([
  ['another server', 'hello', 200, 'URL: its response is not JSON: is it a field-sandbox?'],
  ['a similar server', '{"percent":1,"items":[]}', 200, 'no coverage report at URL: is it a field-sandbox?'],
  ['a sandbox without this path', '{"message":"no such path"}', 404, 'URL: no such path'],
  ['a server without this path', 'none', 404, 'URL: it responded with 404: is it a field-sandbox?'],
  ['a server that redirects', '', 302, 'URL: it responded with 302: is it a field-sandbox?'],
  ['a failing server', '', 500, 'URL: it responded with 500: is it a field-sandbox?'],
])('%s responds', async (_, answer, status, message) => {
  server.handle(() => ({ status, headers: {}, body: Buffer.from(answer) }));
  const url = server.url();
  const err = expect.stringContaining(message.replace('URL', url));
  expect(await runCommand(['coverage', '--url', url])).toEqual({ code: 2, out: '', err });
});

test('is readable in a terminal that does not know its size', async () => {
  const io = createIo({}, true);
  Object.assign(io.stdout, { columns: 0 });
  expect(await runCli(['coverage', '--url', sandbox.url()], io)).toBe(0);
  expect(io.written.out).toMatch(/^coverage 0 %: /);
});
