/** Some addresses are never called, in whatever spelling, and an allow list narrows the rest. */
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-files.ts';
import { parseOptions } from '../../../src/config/options.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';
import { failLater, onlyCallback, setEndpoint } from './steps.ts';

describe('without an allow list', () => {
  const sandbox = useSandbox();

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.google.internal/',
    'http://0.0.0.0:80/',
  ])('rejects %s with the reason', async (url) => {
    const project = freshProject();
    const answer = await setEndpoint(sandbox, project, { url });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { path: '/url', message: expect.stringContaining('is forbidden for callbacks') },
    ]);
    expect((await sandbox.control('GET', `/projects/${project}/callback-endpoint`)).body.url).toBeNull();
    expect((await sandbox.control('GET', '/projects')).text).not.toContain(`"${project}"`);
  });

  test.each([
    ['ftp://localhost/', 'http:// or https://'],
    ['localhost:9000', 'http:// or https://'],
    ['', 'http:// or https://'],
    ['http:///path', 'absolute http or https URL'],
    ['http://user:pass@localhost/', 'must not contain a user or password'],
  ])('rejects %j: %s', async (url, message) => {
    const answer = await setEndpoint(sandbox, freshProject(), { url });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toEqual({ path: '/url', message: expect.stringContaining(message) });
  });

  test.each(['http://localhost:9000/callbacks', 'http://host.docker.internal:3000/', 'HTTPS://example.com/hooks'])(
    'accepts %s',
    async (url) => {
      const answer = await setEndpoint(sandbox, freshProject(), { url });
      expect([answer.status, answer.body]).toEqual([200, { url, disabled: false }]);
    },
  );

  test('an invalid change reports every wrong field', async () => {
    const answer = await setEndpoint(sandbox, freshProject(), { uri: 'http://localhost/', disabled: 'yes' });
    expect(answer.status).toBe(400);
    const paths = answer.body.errors.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['/disabled', '/url']));
  });
});

describe('with an allow list', () => {
  const sandbox = useSandbox({ callbackAllow: ['127.0.0.1', '*.example.com:443', '10.0.0.0/8'] });
  const receiver = useReceiver();

  test.each(['https://hooks.example.com/', 'http://10.1.2.3:99/', 'http://127.0.0.1:9/'])('accepts %s', async (url) => {
    expect((await setEndpoint(sandbox, freshProject(), { url })).status).toBe(200);
  });

  test.each(['http://localhost/', 'https://example.com/', 'http://hooks.example.com/', 'http://11.0.0.1/'])(
    'rejects %s',
    async (url) => {
      const answer = await setEndpoint(sandbox, freshProject(), { url });
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].message).toContain('is not allowed by --callback-allow');
    },
  );

  test('calls an allowed address', async () => {
    const project = freshProject();
    await sandbox.freeze(project);
    await setEndpoint(sandbox, project, { url: receiver.url() });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect((await onlyCallback(sandbox, project)).state).toBe('delivered');
  });
});

describe('a URL for all projects', () => {
  const notices = { reportError: () => undefined, warn: () => undefined };

  test.each([
    [{ callbackUrl: 'http://169.254.169.254/' }, 'is forbidden for callbacks'],
    [{ callbackUrl: 'nowhere' }, 'absolute http or https URL'],
    [{ callbackSecret: 'whsec_AAAA' }, '24 to 64 bytes'],
    [{ callbackAllow: ['http://x/'] }, 'host name'],
  ])('%j fails at startup', (given, message) => {
    const parsed = parseOptions({ port: '0', log: 'off', ...given }, {});
    expect(parsed.ok ? '' : parsed.mistakes.join()).toContain(message);
    expect(JSON.stringify(parsed)).not.toContain('whsec_AAAA');
  });

  test('an address outside the allow list fails at startup', async () => {
    const given = { port: '0', log: 'off', callbackUrl: 'http://localhost:9/', callbackAllow: ['127.0.0.1'] };
    const parsed = parseOptions(given, {});
    if (!parsed.ok) throw new Error(parsed.mistakes.join());
    await expect(startSandbox(parsed.options, notices)).rejects.toThrow(ConfigError);
  });
});
