/** `field-sandbox verify-receiver URL`: its words, its codes, its JUnit file, and itself as a process. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkCount } from '../../../src/cli/verify-receiver/check-receiver.ts';
import { runVerifyReceiver, type VerifyRequest } from '../../../src/cli/verify-receiver/command.ts';
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
  const written = { out: '', err: '' };
  const keep = (stream: 'out' | 'err') => (text: string) => {
    written[stream] += text;
  };
  const request = { url, given: {}, junit: undefined, limits, ...more };
  const code = await runVerifyReceiver(request, keep('out'), keep('err'));
  return { code, ...written };
}

/** Refuses what is large, and takes what is no JSON. */
const twoFaults: Partial<Steps> = {
  begin: ({ headers }) => (Number(headers['content-length']) > 100_000 ? 413 : undefined),
  parse: (body) => {
    const parsed = rightSteps.parse(body);
    return parsed === 400 ? 200 : parsed;
  },
};

test('all right: a line for each check beneath its group, and 0', async () => {
  const url = await start();
  const { code, out, err } = await verify(url);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.match(/^ {2}✓ /gm)).toHaveLength(checkCount);
  expect(out).toMatch(/^\nanswers\n {2}✓ answers in time: 204\n {2}✓ answers at this address itself: no redirect\n/);
  expect(out).toMatch(new RegExp(`\n\npassed: ${checkCount} checks \\(${url}, \\d+\\.\\d s\\)\n$`));
});

test('what fails is told with why it matters and how to mend it, and 1', async () => {
  const { code, out, err } = await verify(await start(twoFaults));
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toContain(`  ✗ takes 10,000 failures at once, 1 MB: answered 413
      why   An import of 10,000 that fails as a whole is reported in one callback. Many frameworks stop at 100 kB.
      mend  Allow 4 MB for this path, in your framework and in the proxy before it; work on it after the answer.
`);
  expect(out).toContain(
    '  ✗ refuses a body that is no JSON: half of a message, nothing: answered 200: it says that it has taken it\n',
  );
  expect(out.match(/^ {6}why {3}/gm)).toHaveLength(2);
  expect(out).toMatch(/\nfailed: 2 of 26 checks \(http:.*\)\n$/);
});

test('where valid ones are refused, the first hint asks for the secret, and the rest is left out in a line', async () => {
  const { code, out } = await verify(await start(), { given: { callbackSecret: otherSecret } });
  expect(code).toBe(1);
  expect(out).toContain(`  ✗ takes all six types: all of them: answered 401
      all valid ones are refused: is the secret right? They were signed with the one given. Then: `);
  expect(out).toMatch(/\n\n {2}– 23 checks left out: all valid ones are refused\n\nfailed: 1 of 26 checks/);
  expect(out).not.toContain('\ntakes what is right\n');
});

describe('a secret is not shown', () => {
  test('one that is given, wherever it stands', async () => {
    const url = await start();
    const junit = path.join(program.folder, 'secret.xml');
    const { out, err } = await verify(`${url}/${encodeURI(otherSecret)}?token=${otherSecret}`, {
      given: { callbackSecret: otherSecret },
      junit,
    });
    expect(out + err + readFileSync(junit, 'utf8')).not.toContain(otherSecret);
    expect(out).toContain(`(${url}/***, `);
  });

  test('one that is none', async () => {
    const { code, out, err } = await verify(await start(), { given: { callbackSecret: 'hunter2' } });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe('--callback-secret: a secret must begin with whsec_ (not shown)\n');
  });
});

describe('what is wrong is said in a line, and 2', () => {
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

  test('nobody is there: at once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const url = `http://127.0.0.1:${port}/callbacks`;
    const err = `${url} can't be reached: connection refused; is your receiver running there?\n`;
    expect(await verify(`${url}?token=abc`)).toEqual({ code: 2, out: '', err });
  });

  test('it does not speak TLS', async () => {
    const url = (await start()).replace('http:', 'https:');
    const { code, err } = await verify(url);
    expect({ code, err }).toEqual({
      code: 2,
      err: `${url} can't be reached: the TLS handshake failed; does it speak https there?\n`,
    });
  });

  test('a report that can not be written, and all mistakes at once', async () => {
    const { code, err } = await verify(await start(), { given: { callbackSecret: 'x' }, junit: '/nowhere/j.xml' });
    expect(code).toBe(2);
    expect(err).toBe(
      '--callback-secret: a secret must begin with whsec_ (not shown)\n--junit: there is no folder /nowhere\n',
    );
  });
});

describe('JUnit', () => {
  test('a suite for each group, a case for each check, with why and how to mend', async () => {
    const junit = path.join(program.folder, 'receiver.xml');
    const url = await start(twoFaults);
    await verify(`${url}?token=abc`, { junit });
    const text = readFileSync(junit, 'utf8');
    expect(text).toContain('<testsuites name="field-sandbox verify-receiver" tests="26" failures="2" errors="0"');
    expect(text.match(/<testcase /g)).toHaveLength(checkCount);
    expect(text).toContain('<testsuite name="takes what is right" tests="5" failures="1" errors="0"');
    expect(text).toContain(`<property name="receiver" value="${url}"/>`);
    expect(text).toMatch(/answered 413\nwhy: An import .*\nmend: Allow 4 MB for this path/);
    expect(text).not.toContain('token');
  });

  test('what was left out is skipped, and says why', async () => {
    const junit = path.join(program.folder, 'left.xml');
    await verify(await start({ begin: () => 307 }), { junit });
    const text = readFileSync(junit, 'utf8');
    expect(text.match(/<skipped message="valid ones are sent elsewhere"\/>/g)).toHaveLength(checkCount - 2);
  });

  test('one of a run before does not stay where nothing could be played', async () => {
    const junit = path.join(program.folder, 'stale.xml');
    writeFileSync(junit, '<?xml version="1.0"?><testsuites/>');
    expect((await verify('nowhere', { junit })).code).toBe(2);
    expect(existsSync(junit)).toBe(false);
  });

  test('where it can not be written any more, 1', async () => {
    const junit = path.join(program.folder, 'gone.xml');
    const url = await start({
      take: (message, incoming) => {
        // It was looked at before; now a folder takes its place.
        mkdirSync(junit, { recursive: true });
        return rightSteps.take(message, incoming);
      },
    });
    const { code, out, err } = await verify(url, { junit });
    expect({ code, err }).toEqual({ code: 1, err: `--junit: ${junit}: can't be written (EISDIR)\n` });
    expect(out).toContain('\npassed: 26 checks');
  });
});

describe('as a process', () => {
  test('the secret from the environment; nothing of a sandbox matters beside it', async () => {
    const url = await start();
    const environment = { SANDBOX_PORT: 'x', SANDBOX_CALLBACK_SECRET: otherSecret };
    const { code, out, err } = await program.run(['verify-receiver', url], environment);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('They were signed with the one given.');
    expect(out).not.toContain('\u001b');
  });

  test('where callbacks may go is heeded, too', async () => {
    const { code, out, err } = await program.run(['verify-receiver', await start()], {
      SANDBOX_CALLBACK_ALLOW: '10.0.0.0/8',
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('is not allowed by --callback-allow, got "http://127.0.0.1:');
  });

  test('all right, at the speed of the contract', async () => {
    const { code, out, err } = await program.run(['verify-receiver', await start()]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/\npassed: 26 checks \(/);
  });

  test.each([
    ['no address', ['verify-receiver'], "missing required argument 'url'"],
    [
      'an option that there is not',
      ['verify-receiver', 'http://127.0.0.1:9/', '--junitt', 'x'],
      'Did you mean --junit?',
    ],
    ['two addresses', ['verify-receiver', 'http://127.0.0.1:9/', 'x'], 'too many arguments'],
    ['a name with a slip', ['verify-reciever', 'http://127.0.0.1:9/'], 'did you mean verify-receiver?'],
  ])('%s is a 2', async (_, args, words) => {
    const { code, out, err } = await program.run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test('a signal ends it at once, and nothing is judged', async () => {
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
    expect({ code, out, err }).toEqual({ code: 130, out: '', err: 'SIGINT: ended before all was checked\n' });
  });
});
