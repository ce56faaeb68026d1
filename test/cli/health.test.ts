import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runCommand } from '../harness/cli.ts';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox({ adminToken: 'secret-token' });

async function health(port: string, host?: string): Promise<{ code: number | null; said: string }> {
  const { code, out, err } = await runCommand([
    'health',
    '--port',
    port,
    ...(host === undefined ? [] : ['--host', host]),
  ]);
  return { code, said: out + err };
}

test('a ready sandbox gives exit code 0, also with an admin token', async () => {
  const { port } = new URL(sandbox.url());
  expect(await health(port)).toEqual({ code: 0, said: '' });
  expect(await health(port, '0.0.0.0')).toEqual({ code: 0, said: '' });
});

test('another server, or none, gives exit code 1', async () => {
  const other = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', () => listening()));
  const { port } = other.address() as AddressInfo;
  expect(await health(String(port))).toEqual({ code: 1, said: 'not ready: the sandbox responded with 404\n' });
  await new Promise((closed) => other.close(closed));
  expect(await health(String(port))).toEqual({ code: 1, said: `not ready: no sandbox listens on 127.0.0.1:${port}\n` });
});

test('an invalid port gives exit code 2', async () => {
  expect(await health('many')).toEqual({ code: 2, said: expect.stringContaining('--port: expected a number') });
});
