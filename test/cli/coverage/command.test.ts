/** `field-sandbox coverage`: responses of other servers. golden/coverage.txt has the rest. */
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useReceiver } from '../../harness/receiver.ts';

const server = useReceiver();

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
