import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkCount } from '../../../src/cli/verify-receiver/check-receiver.ts';
import { runVerifyReceiver, type VerifyRequest } from '../../../src/cli/verify-receiver/command.ts';
import { createIo } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { rightSteps, type Steps, startReceiver, type TestReceiver } from './receiver.ts';

const program = useProgram();
const limits = { attemptMs: 5000, pauseMs: 5 };
const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const receivers: TestReceiver[] = [];

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function start(steps: Partial<Steps> = {}): Promise<string> {
  const receiver = await startReceiver(steps);
  receivers.push(receiver);
  return receiver.url;
}

async function verify(url: string, more: Partial<VerifyRequest> = {}) {
  const io = createIo();
  const code = await runVerifyReceiver({ url, given: {}, junit: undefined, limits, ...more }, io);
  return { code, ...io.written };
}

describe('no secret is shown', () => {
  test('a secret that was set, in any output', async () => {
    const url = await start();
    const junit = path.join(program.folder, 'secret.xml');
    const { out, err } = await verify(`${url}/${encodeURI(otherSecret)}?token=${otherSecret}`, {
      given: { callbackSecret: otherSecret },
      junit,
    });
    expect(out + err + readFileSync(junit, 'utf8')).not.toContain(otherSecret);
    expect(out).toContain(`(${url}/***, `);
  });
});

test('after the timeout of all checks together, the remaining checks are skipped', async () => {
  const url = await start({ begin: () => new Promise(() => undefined) });
  const { code, out } = await verify(url, { limits: { ...limits, wholeMs: 50 } });
  expect(code).toBe(1);
  expect(out).toContain(`${checkCount} checks skipped: all checks together took longer than 0.05 s`);
});

describe('JUnit', () => {
  test('skipped checks have a reason', async () => {
    const junit = path.join(program.folder, 'left.xml');
    await verify(await start({ begin: () => 307 }), { junit });
    const text = readFileSync(junit, 'utf8');
    expect(text.match(/<skipped message="valid callbacks are redirected"\/>/g)).toHaveLength(checkCount - 2);
  });

  test('a report that cannot be written any more gives exit code 1', async () => {
    const junit = path.join(program.folder, 'gone.xml');
    const url = await start({
      take: (message, incoming) => {
        // The path was writable before; now a folder is there.
        mkdirSync(junit, { recursive: true });
        return rightSteps.take(message, incoming);
      },
    });
    const { code, out, err } = await verify(url, { junit });
    expect({ code, err }).toEqual({ code: 1, err: `--junit: ${junit} cannot be written (EISDIR)\n` });
    expect(out).toContain('\npassed: 26 checks');
  });
});
