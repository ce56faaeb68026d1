/** HEAD is answered wherever GET is: the same status and headers, and no body. transcripts/control.txt has other paths. */
import { beforeAll, expect, test } from 'vitest';
import controlSource from '../../../spec/control.yaml';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });

const paths = Object.entries((controlSource as { paths: Record<string, object> }).paths)
  .filter(([, operations]) => 'get' in operations)
  .map(([path]) => path);

/** The ids of a callback and of a request that the project has. */
const ids = { callback: '', request: '' };

beforeAll(async () => {
  await sandbox.api('POST', '/sync/projects/p/jobs', { id: 'J-1' });
  await sandbox.api('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-1' }] });
  await sandbox.advance('p');
  ids.request = (await sandbox.control('GET', '/projects/p/requests')).body.items[0].id;
  ids.callback = (await sandbox.control('GET', '/projects/p/callbacks')).body.items[0].id;
});

/** The path with something in the place of each parameter that is there, except for users, orders, routes and trails. */
function fill(path: string): string {
  const id = path.includes('/callbacks/') ? ids.callback : path.includes('/requests/') ? ids.request : 'J-1';
  return path.replace('{projectId}', 'p').replace('{id}', id).replace('{name}', 'flaky-gateway');
}

async function ask(method: string, path: string) {
  const response = await fetch(sandbox.url() + path, {
    method,
    redirect: 'manual',
    headers: { 'accept-encoding': 'identity' },
  });
  // fetch closes the connection after each HEAD, and what has no body is not sent in pieces.
  const ofConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ofConnection.includes(name)));
  return { status: response.status, headers, text: await response.text() };
}

// Figures of the process change between two requests; a stream of events has no end.
const comparable = paths.filter((path) => !/\/(metrics|events|listener)$/.test(path));

test.each([...comparable, '/', '/_sandbox', '/_sandbox/', '/_sandbox/icon.svg', '/_sandbox/nowhere'])(
  'HEAD %s',
  async (path) => {
    const { text, ...got } = await ask('GET', fill(path));
    expect(await ask('HEAD', fill(path))).toEqual({ ...got, text: '' });
    if (got.status === 200) expect(got.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  },
);
