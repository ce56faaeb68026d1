/** The environment of a command that runs against a sandbox of its own. */
import { expect, test } from 'vitest';
import { toCommandEnvironment } from '../../src/cli/command-environment.ts';

const toEnvironment = (environment: NodeJS.ProcessEnv) =>
  toCommandEnvironment(environment, { url: 'http://127.0.0.1:4600', tls: undefined }, { apiKeys: ['one', 'two'] });

test.each([
  [{}, '127.0.0.1,localhost,::1'],
  [{ no_proxy: '.example' }, '.example,127.0.0.1,localhost,::1'],
  [{ NO_PROXY: '.example' }, '.example,127.0.0.1,localhost,::1'],
  [{ no_proxy: '.one', NO_PROXY: '.two' }, '.one,.two,127.0.0.1,localhost,::1'],
  [{ no_proxy: '.example', NO_PROXY: '.example' }, '.example,127.0.0.1,localhost,::1'],
  [{ no_proxy: '', NO_PROXY: '.example' }, '.example,127.0.0.1,localhost,::1'],
])('requests to the sandbox use no proxy: %j', (environment, expected) => {
  const proxies = { http_proxy: 'http://proxy.example:3128', ...environment };
  expect(toEnvironment(proxies)).toMatchObject({
    no_proxy: expected,
    NO_PROXY: expected,
    http_proxy: proxies.http_proxy,
  });
});

test('has the URL and the first key', () => {
  expect(toEnvironment({})).toMatchObject({ SANDBOX_URL: 'http://127.0.0.1:4600', SANDBOX_API_KEY: 'one' });
});
