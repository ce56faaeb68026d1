/** Some addresses are never called, in whatever spelling, and an allow list narrows the rest. */
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { parseOptions } from '../../../src/config/options.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';
import { failLater, onlyCallback, setEndpoint } from './steps.ts';

describe('with an allow list', () => {
  const sandbox = useSandbox({ callbackAllow: ['127.0.0.1', '*.example.com:443', '10.0.0.0/8'] });
  const receiver = useReceiver();

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

  test.each([
    ['an address outside the allow list', { callbackUrl: 'http://localhost:9/', callbackAllow: ['127.0.0.1'] }],
    ['a secret that is not one of the profile', { callbackSecret: 'hunter2', profile: writeProfile({}) }],
  ])('%s fails at startup', async (_what, given) => {
    const parsed = parseOptions({ port: '0', log: 'off', ...given }, {});
    if (!parsed.ok) throw new Error(parsed.mistakes.join());
    await expect(startSandbox(parsed.options, notices)).rejects.toThrow(ConfigError);
  });
});
