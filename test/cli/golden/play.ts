/** Plays files of this folder, each for itself: `npx vitest run test/cli/golden --update` writes them again. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { type Incoming, type Message, startReceiver } from '../verify-receiver/receiver.ts';
import { type Places, parseSessions, playSession, type Session } from './session.ts';

export const folder: string = path.resolve('test/cli/golden');

/** Files that take seconds of processor time, so `npm test` leaves them to `npm run test:more`. */
export const longFiles: readonly string[] = [
  'mcp-install.txt',
  'prove-commits.txt',
  'replay-elsewhere.txt',
  'sweep-baseline.txt',
  'sweep-verdicts.txt',
];

export function readSessions(name: string): readonly Session[] {
  return parseSessions(readFileSync(path.join(folder, name), 'utf8'));
}

/** Adds a test for each file. */
export function playFiles(names: readonly string[]): void {
  const sandbox = useSandbox();
  const locked = useSandbox({ adminToken: 'secret-token', apiKeys: ['sandbox-key', 'acme-key=acme'] });

  async function withPlaces<Result>(use: (places: Places) => Promise<Result>): Promise<Result> {
    const right = await startReceiver();
    const faulty = await startReceiver({ parse: () => 400 });
    const gone = await startReceiver({ begin: () => 410 });
    const answers = await startReceiver({ take: answerInTurn });
    try {
      const { port } = new URL(sandbox.url());
      return await use({
        URL: sandbox.url(),
        PORT: port,
        LOCKED: locked.url(),
        RECEIVER: right.url,
        TLS_RECEIVER: right.url.replace('http', 'https'),
        FAULTY: faulty.url,
        GONE: gone.url,
        ANSWERS: answers.url,
      });
    } finally {
      await Promise.all([right.close(), faulty.close(), gone.close(), answers.close()]);
    }
  }

  test.each(names)('%s', { timeout: 300_000 }, async (name) => {
    const played: string[] = [];
    // Messages list the projects: those of other files must not be among them.
    await sandbox.control('POST', '/reset');
    await locked.control('POST', '/reset', undefined, { authorization: 'Bearer secret-token' });
    for (const session of readSessions(name)) {
      played.push(await withPlaces((places) => playSession(session, places)));
    }
    await expect(played.join('\n')).toMatchFileSnapshot(path.join(folder, name));
  });
}

/** Answers with the statuses that the path has, and then with 204. */
function answerInTurn(_message: Message, { request, memory }: Incoming): number {
  memory.working += 1;
  return Number(request.url?.split('/').slice(1)[memory.working] ?? 204);
}
