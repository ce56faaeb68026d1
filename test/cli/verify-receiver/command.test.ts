/** `field-sandbox verify-receiver URL`: its output, exit codes and JUnit file. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
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

/** Rejects large bodies, and accepts bodies that are not JSON. */
const twoFaults: Partial<Steps> = {
  begin: ({ headers }) => (Number(headers['content-length']) > 100_000 ? 413 : undefined),
  parse: (body) => {
    const parsed = rightSteps.parse(body);
    return parsed === 400 ? 200 : parsed;
  },
};

test('a correct receiver: one line per check under its group, and exit code 0', async () => {
  const url = await start();
  const { code, out, err } = await verify(url);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.match(/^ {2}✓ /gm)).toHaveLength(checkCount);
  expect(out).toMatch(/^\nresponds\n {2}✓ responds in time: 204\n {2}✓ responds without a redirect: no redirect\n/);
  expect(out).toMatch(new RegExp(`\n\npassed: ${checkCount} checks \\(${url}, \\d+\\.\\d s\\)\n$`));
});

test('a failed check is reported with its reason and fix, and exit code 1', async () => {
  const { code, out, err } = await verify(await start(twoFaults));
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toContain(`  ✗ accepts 10,000 failures in one callback (1 MB): responded with 413
      why   If all 10,000 entries of an import fail, one callback reports them. Many frameworks reject bodies above 100 kB.
      fix   Allow 4 MB for this path, in your framework and in the proxy in front of it; process the callback after the response.
`);
  expect(out).toContain(
    '  ✗ rejects a body that is not JSON: half of a body, empty body: responded with 200: it accepts a body that it cannot read\n',
  );
  expect(out.match(/^ {6}why {3}/gm)).toHaveLength(2);
  expect(out).toMatch(/\nfailed: 2 of 26 checks \(http:.*\)\n$/);
});

test('if valid callbacks are rejected, the hint names the secret, and one line counts the skipped checks', async () => {
  const { code, out } = await verify(await start(), { given: { callbackSecret: otherSecret } });
  expect(code).toBe(1);
  expect(out).toContain(`  ✗ accepts all types: all of them: responded with 401
      the receiver rejects all valid callbacks: check the secret (the callbacks are signed with the secret that you set), `);
  expect(out).toMatch(
    /\n\n {2}– 23 checks skipped: the receiver rejects all valid callbacks\n\nfailed: 1 of 26 checks/,
  );
  expect(out).not.toContain('\naccepts valid callbacks\n');
  expect(out).not.toMatch(/ (why|fix) /);
});

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

  test('an invalid secret', async () => {
    const { code, out, err } = await verify(await start(), { given: { callbackSecret: 'hunter2' } });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      '--callback-secret: a secret must begin with whsec_; with another callbacks.signature in the profile, it can be any text (not shown)\n',
    );
  });
});

describe('mistakes are reported on one line, with exit code 2', () => {
  test.each([
    [
      'callbacks',
      'a callback URL must be an absolute http or https URL, such as http://localhost:9000/callbacks, got "callbacks"\n',
    ],
    ['http://ann:pass@127.0.0.1/', 'a callback URL must not contain a user or password\n'],
    [
      'http://169.254.169.254/',
      /^169\.254\.169\.254 is forbidden for callbacks: .*, got "http:\/\/169\.254\.169\.254\/"\n$/,
    ],
  ])('%s', async (url, words) => {
    const { code, out, err } = await verify(url);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(words);
  });

  test('an unreachable receiver is reported at once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const url = `http://127.0.0.1:${port}/callbacks`;
    const err = `cannot reach ${url}: connection refused; is your receiver running?\n`;
    expect(await verify(`${url}?token=abc`)).toEqual({ code: 2, out: '', err });
  });

  test('a receiver without TLS', async () => {
    const url = (await start()).replace('http:', 'https:');
    const { code, err } = await verify(url);
    expect({ code, err }).toEqual({
      code: 2,
      err: `cannot reach ${url}: the TLS handshake failed; does this address use https?\n`,
    });
  });

  test('a report that cannot be written, together with other mistakes', async () => {
    const { code, err } = await verify(await start(), { given: { callbackSecret: 'x' }, junit: '/nowhere/j.xml' });
    expect(code).toBe(2);
    expect(err).toBe(
      '--callback-secret: a secret must begin with whsec_; with another callbacks.signature in the profile, it can be any text (not shown)\n--junit: folder not found: /nowhere\n',
    );
  });
});

describe('JUnit', () => {
  test('a suite for each group, and a case for each check with reason and fix', async () => {
    const junit = path.join(program.folder, 'receiver.xml');
    const url = await start(twoFaults);
    await verify(`${url}?token=abc`, { junit });
    const text = readFileSync(junit, 'utf8');
    expect(text).toContain('<testsuites name="field-sandbox verify-receiver" tests="26" failures="2" errors="0"');
    expect(text.match(/<testcase /g)).toHaveLength(checkCount);
    expect(text).toContain('<testsuite name="accepts valid callbacks" tests="5" failures="1" errors="0"');
    expect(text).toContain(`<property name="receiver" value="${url}"/>`);
    expect(text).toMatch(/responded with 413\nwhy: If all .*\nfix: Allow 4 MB for this path/);
    expect(text).not.toContain('token');
  });

  test('skipped checks have a reason', async () => {
    const junit = path.join(program.folder, 'left.xml');
    await verify(await start({ begin: () => 307 }), { junit });
    const text = readFileSync(junit, 'utf8');
    expect(text.match(/<skipped message="valid callbacks are redirected"\/>/g)).toHaveLength(checkCount - 2);
  });

  test('an older report is deleted if no check could run', async () => {
    const junit = path.join(program.folder, 'stale.xml');
    writeFileSync(junit, '<?xml version="1.0"?><testsuites/>');
    expect((await verify('nowhere', { junit })).code).toBe(2);
    expect(existsSync(junit)).toBe(false);
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

describe('as a process', () => {
  test('uses the secret from the environment, and ignores other options of a sandbox', async () => {
    const url = await start();
    const environment = { SANDBOX_PORT: 'x', SANDBOX_CALLBACK_SECRET: otherSecret };
    const { code, out, err } = await program.run(['verify-receiver', url], environment);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('signed with the secret that you set');
    expect(out).not.toContain('\u001b');
  });

  test('applies SANDBOX_CALLBACK_ALLOW', async () => {
    const { code, out, err } = await program.run(['verify-receiver', await start()], {
      SANDBOX_CALLBACK_ALLOW: '10.0.0.0/8',
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('is not allowed by --callback-allow, got "http://127.0.0.1:');
  });

  test('a correct receiver passes with the default timeouts', async () => {
    const { code, out, err } = await program.run(['verify-receiver', await start()]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/\npassed: 26 checks \(/);
  });

  test.each([
    ['no URL', ['verify-receiver'], "missing required argument 'url'"],
    ['two URLs', ['verify-receiver', 'http://127.0.0.1:9/', 'x'], 'too many arguments'],
  ])('%s gives exit code 2', async (_, args, words) => {
    const { code, out, err } = await program.run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test('a signal stops the checks at once, without a report', async () => {
    let called = (): void => undefined;
    const calling = new Promise<void>((resolve) => {
      called = resolve;
    });
    const url = await start({
      begin: () => {
        called();
        return 0;
      },
    });
    const running = program.start(['verify-receiver', url]);
    await calling;
    running.child.kill('SIGINT');
    const { code, out, err } = await running.ended;
    expect({ code, out, err }).toEqual({ code: 130, out: '', err: 'SIGINT: stopped before all checks ran\n' });
  });
});
