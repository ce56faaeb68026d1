/** The body of a receiver's response as it is recorded. transcripts/redaction.txt has the secrets that are left out. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

async function receive(headers: Record<string, string>, body: string | Buffer) {
  const project = await frozenProject(sandbox, receiver.url());
  receiver.answer({ status: 500, headers, body: Buffer.from(body) });
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  return (await onlyCallback(sandbox, project)).attempts[0]?.response;
}

test.each([
  ['text/html; charset=ISO-8859-1', Buffer.from('für', 'latin1'), 'für'],
  ['text/html; charset=klingon', Buffer.from('für'), 'für'],
  ['image/png', Buffer.from([0x89, 0x50, 0x00, 0xff]), '\ufffdP\u0000\ufffd'],
])('a body of the type %s is decoded', async (type, bytes, text) => {
  expect(await receive({ 'content-type': type }, bytes)).toMatchObject({ body: text });
});

test('a long body keeps its first 4 kB, whole characters only, and its size', async () => {
  expect(await receive({}, 'a'.repeat(4096))).not.toHaveProperty('bodyCut');
  expect(await receive({}, 'a'.repeat(4097))).toMatchObject({ body: 'a'.repeat(4096), bodyCut: 4097 });
  expect(await receive({}, `a${'ö'.repeat(3000)}`)).toMatchObject({ body: `a${'ö'.repeat(2047)}`, bodyCut: 6001 });
  expect(await receive({ 'transfer-encoding': 'chunked' }, 'a'.repeat(200_000))).toMatchObject({ bodyCut: 65_536 });
});

test('a body with very many secrets is stored without them', async () => {
  expect(await receive({}, 'token:\n'.repeat(3000))).toMatchObject({ body: 'token:***\n'.repeat(3000).slice(0, 4096) });
});
