import { expect, test } from 'vitest';
import { optionTable } from '../../src/config/option-table.ts';
import { parseOptions } from '../../src/config/options.ts';

test('without anything, all options are the usual ones', () => {
  expect(parseOptions({}, {})).toMatchObject({
    ok: true,
    remarks: [],
    options: {
      port: 4600,
      host: '127.0.0.1',
      tls: false,
      tlsPort: 4643,
      tlsNames: [],
      tlsCert: undefined,
      tlsKey: undefined,
      scenarios: [],
      magicIds: true,
      apiKeys: ['sandbox-key'],
      callbackUrl: undefined,
      clock: { mode: 'real' },
      strict: false,
      adminToken: undefined,
      log: 'auto',
      json: false,
    },
  });
});

test('the environment says what the command line does not', () => {
  const environment = { SANDBOX_PORT: '1234', SANDBOX_SEED: 'of the environment', SANDBOX_STRICT: '1' };
  expect(parseOptions({ port: '0' }, environment)).toMatchObject({
    options: { port: 0, seed: 'of the environment', strict: true },
  });
});

test('lists in the environment are separated by white space, and replaced by those of the command line', () => {
  const environment = { SANDBOX_SCENARIO: ' outage\n  flaky ', SANDBOX_API_KEY: 'one two@au=P-1,P-2' };
  const expected = { scenarios: ['outage', 'flaky'], apiKeys: ['one', 'two@au=P-1,P-2'] };
  expect(parseOptions({}, environment)).toMatchObject({ options: expected });
  expect(parseOptions({ scenarios: ['a b'] }, environment)).toMatchObject({ options: { scenarios: ['a b'] } });
});

test.each([
  ['2026-03-02T09:00:00Z', { mode: 'frozen', nowMs: Date.UTC(2026, 2, 2, 9) }],
  ['2026-03-02T09:00:00+10:00', { mode: 'frozen', nowMs: Date.UTC(2026, 2, 1, 23) }],
  ['frozen', { mode: 'frozen' }],
])('the clock %s', (clock, expected) => {
  expect(parseOptions({ clock }, {})).toMatchObject({ options: { clock: expected } });
});

const bad: readonly (readonly [string, string, string])[] = [
  ['port', '65536', '--port: expected a number from 0 to 65535, got "65536"'],
  ['port', '80.5', '--port: expected a number'],
  ['port', '', '--port: expected a value, got none'],
  ['host', ' ', '--host: expected a host name'],
  ['tls', 'yes', '--tls: expected true'],
  ['tlsPort', '-1', '--tls-port: expected a number from 0 to 65535, got "-1"'],
  ['tlsNames', 'https://a.test', '--tls-name: expected a host name, *.NAME or an IP address, without scheme and port'],
  ['tlsCert', '', '--tls-cert: expected a value, got none'],
  ['magicIds', 'maybe', '--no-magic-ids: expected true, false, 1, 0, got "maybe"'],
  ['apiKeys', 'k@mars', '--api-key: expected KEY, KEY@REGION'],
  ['callbackUrl', 'ftp://example.test', '--callback-url: '],
  ['callbackUrl', 'http://169.254.169.254/', '--callback-url: '],
  ['callbackSecret', 'whsec_c2hvcnQ=', '--callback-secret: '],
  ['callbackAllow', '://', '--callback-allow: '],
  ['clock', '9999-12-31T23:59:59Z', '--clock: expected an instant from 1970-01-01T00:00:00.000Z to 9999-01-01T00:00'],
  ['clock', '0000-01-01T00:00:00+14:00', '--clock: expected an instant from 1970-01-01T00:00:00.000Z to 9999-01-01'],
  ['clock', 'frozn', '--clock: expected real, frozen or an ISO 8601 timestamp'],
  ['clock', '2026-02-30T00:00:00Z', '--clock: '],
  ['clock', '2026-13-01T25:00:00Z', '--clock: '],
  ['clock', '2026-03-02T09:00:00', '--clock: '],
  ['strict', 'yes', '--strict: expected true'],
  ['adminToken', 'two words', '--admin-token: expected visible ASCII'],
  ['log', 'jsn', '--log: expected auto, pretty, json, off, got "jsn", did you mean json?'],
  ['json', '2', '--json: expected true'],
];

test.each(bad)('%s %j is refused', (key, value, message) => {
  const parsed = parseOptions({ [key]: value }, {});
  expect(parsed).toEqual({ ok: false, mistakes: [expect.stringContaining(message)] });
});

test.each([
  ['as usual', {}, {}, 4643],
  ['beside a port that was given', { port: '5000' }, {}, 4643],
  ['beside any free one', { port: '0' }, {}, 0],
  ['beside any free one of the environment', {}, { SANDBOX_PORT: '0' }, 0],
  ['as given', { port: '0', tlsPort: '4643' }, {}, 4643],
  ['as the environment says', { port: '0' }, { SANDBOX_TLS_PORT: '7000' }, 7000],
])('the port of https: %s', (_what, given, environment, tlsPort) => {
  expect(parseOptions({ tls: 'true', ...given }, environment)).toMatchObject({ ok: true, options: { tlsPort } });
});

test('https is had from the environment alone', () => {
  const environment = { SANDBOX_TLS: '1', SANDBOX_TLS_NAME: 'a.test *.b.test' };
  expect(parseOptions({}, environment)).toMatchObject({
    ok: true,
    options: { tls: true, tlsNames: ['a.test', '*.b.test'] },
  });
});

const tls = { tls: 'true' };
const beside = 'expected --tls beside it, without which there is no https';
test.each([
  ['a name without --tls', { tlsNames: ['a.test'] }, {}, [`--tls-name: ${beside}`]],
  ['files without --tls', { tlsCert: 'a', tlsKey: 'b' }, {}, [`--tls-cert: ${beside}`, `--tls-key: ${beside}`]],
  [
    'a port of the environment, and --tls off',
    { tls: 'false' },
    { SANDBOX_TLS_PORT: '1' },
    [`SANDBOX_TLS_PORT: ${beside}`],
  ],
  ['a certificate without its key', { ...tls, tlsCert: 'a' }, {}, ['--tls-cert: expected --tls-key beside it']],
  ['a key without its certificate', tls, { SANDBOX_TLS_KEY: 'a' }, ['SANDBOX_TLS_KEY: expected --tls-cert beside it']],
  [
    'names for a certificate that is given',
    { ...tls, tlsCert: 'a', tlsKey: 'b', tlsNames: ['c'] },
    {},
    ['--tls-name: expected no --tls-cert beside it: a certificate that is given has its own names'],
  ],
  [
    'one port for both',
    { ...tls, port: '5000', tlsPort: '5000' },
    {},
    ['--tls-port: expected another port than --port, got 5000 for both'],
  ],
  [
    'the usual port of https for http',
    { ...tls, port: '4643' },
    {},
    ['--tls: expected another port than --port, got 4643 for both'],
  ],
])('of https, %s is refused', (_what, given, environment, mistakes) => {
  expect(parseOptions(given, environment)).toEqual({ ok: false, mistakes });
});

test('all mistakes are said at once, with the name under which each came', () => {
  const environment = { SANDBOX_PORT: 'x', SANDBOX_LOG: 'loud' };
  const parsed = parseOptions({ clock: 'y', callbackAllow: ['ok.test', '://', '1.2.3.4/99'] }, environment);
  expect(parsed.ok ? [] : parsed.mistakes.map((mistake) => mistake.split(':')[0])).toEqual([
    'SANDBOX_PORT',
    '--callback-allow',
    '--callback-allow',
    '--clock',
    'SANDBOX_LOG',
  ]);
});

test('a secret that is wrong is not shown', () => {
  const parsed = parseOptions({ callbackSecret: 'hunter2', adminToken: 'hunter2 x', apiKeys: ['hunter2 y'] }, {});
  expect(parsed).toMatchObject({ ok: false, mistakes: [{}, {}, {}].map(() => expect.any(String)) });
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

test('variables for clients are not remarked on', () => {
  const environment = { SANDBOX_URL: 'http://localhost:4600', SANDBOX_TLS_URL: '' };
  expect(parseOptions({}, environment)).toMatchObject({ ok: true, remarks: [] });
});

test.each([
  ['SANDBOX_PROT', ', did you mean SANDBOX_PORT?'],
  ['SANDBOX_APIKEYS', ', did you mean SANDBOX_API_KEY?'],
  ['SANDBOX_NO_MAGIC_IDS', ', did you mean SANDBOX_MAGIC_IDS=false?'],
  ['SANDBOX_NO_MAGIC_ID', ', did you mean SANDBOX_MAGIC_IDS=false?'],
  ['SANDBOX_NO_TLS', ', did you mean SANDBOX_TLS=false?'],
  ['SANDBOX_NO_PORT', ', did you mean SANDBOX_PORT?'],
  // Another tool's, which is like none of ours but for the prefix.
  ['SANDBOX_FOO', ''],
  ['SANDBOX_', ''],
])('a variable that is no option is remarked on: %s', (name, meant) => {
  const remarks = [`${name} is no option of the sandbox${meant}`];
  expect(parseOptions({}, { [name]: '1' })).toMatchObject({ ok: true, remarks });
});

test('every option has a variable of its own, and says what it is for', () => {
  expect(new Set(optionTable.map(({ env }) => env)).size).toBe(optionTable.length);
  for (const { env, help } of optionTable) {
    expect(env).toMatch(/^SANDBOX_[A-Z_]+$/);
    expect(help).not.toBe('');
  }
});
