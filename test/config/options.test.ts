import { expect, test } from 'vitest';
import { optionTable } from '../../src/config/option-table.ts';
import { nameAsGiven, type OptionTexts, parseOptions, readEnvironment } from '../../src/config/options.ts';

test('every option has its default', () => {
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

test('the command line overrides the environment', () => {
  const environment = { SANDBOX_PORT: '1234', SANDBOX_SEED: 'of the environment', SANDBOX_STRICT: '1' };
  expect(parseOptions({ port: '0' }, environment)).toMatchObject({
    options: { port: 0, seed: 'of the environment', strict: true },
  });
});

test('lists in the environment are separated by white space, and overridden by the command line', () => {
  const environment = { SANDBOX_SCENARIO: ' outage\n  flaky ', SANDBOX_API_KEY: 'one two@au=P-1,P-2' };
  const expected = { scenarios: ['outage', 'flaky'], apiKeys: ['one', 'two@au=P-1,P-2'] };
  expect(parseOptions({}, environment)).toMatchObject({ options: expected });
  expect(parseOptions({ scenarios: ['a b'] }, environment)).toMatchObject({ options: { scenarios: ['a b'] } });
});

test.each([
  ['2026-03-02T09:00:00Z', { mode: 'frozen', nowMs: Date.UTC(2026, 2, 2, 9) }],
  ['2026-03-02T09:00:00+10:00', { mode: 'frozen', nowMs: Date.UTC(2026, 2, 1, 23) }],
  ['frozen', { mode: 'frozen' }],
  ['20x', { mode: 'real', rate: 20 }],
  ['0.1x', { mode: 'real', rate: 0.1 }],
  ['1000x', { mode: 'real', rate: 1000 }],
])('parses the clock %s', (clock, expected) => {
  expect(parseOptions({ clock }, {})).toMatchObject({ options: { clock: expected } });
  expect(parseOptions({}, { SANDBOX_CLOCK: clock })).toMatchObject({ options: { clock: expected } });
});

const rejected: Readonly<Record<string, readonly string[]>> = {
  port: ['65536', '80.5', ''],
  host: [' '],
  tls: ['yes'],
  tlsPort: ['-1'],
  tlsNames: ['https://a.test'],
  tlsCert: [''],
  magicIds: ['maybe'],
  apiKeys: ['k@mars'],
  callbackUrl: ['ftp://example.test', 'http://me:hunter2@a.test/', 'http://169.254.169.254/'],
  callbackSecret: ['whsec_c2hvcnQ='],
  callbackAllow: ['://'],
  clock: [
    '9999-12-31T23:59:59Z',
    '0000-01-01T00:00:00+14:00',
    'frozn',
    '0x',
    '-2x',
    '5000x',
    'fast',
    '20',
    '2026-02-30T00:00:00Z',
    '2026-13-01T25:00:00Z',
    '2026-03-02T09:00:00',
  ],
  strict: ['yes'],
  adminToken: ['two words'],
  log: ['jsn'],
  json: ['2'],
};

const tls = { tls: 'true' };
const ofTls: readonly (readonly [given: OptionTexts, environment: Record<string, string>])[] = [
  [{ tlsNames: ['a.test'] }, {}],
  [{ tlsCert: 'a', tlsKey: 'b' }, {}],
  [{ tls: 'false' }, { SANDBOX_TLS_PORT: '1' }],
  [{ ...tls, tlsCert: 'a' }, {}],
  [tls, { SANDBOX_TLS_KEY: 'a' }],
  [{ ...tls, tlsCert: 'a', tlsKey: 'b', tlsNames: ['c'] }, {}],
  [{ ...tls, port: '5000', tlsPort: '5000' }, {}],
  [{ ...tls, tlsPort: '5000' }, { SANDBOX_PORT: '5000' }],
  [{ ...tls, port: '4643' }, {}],
];

test('each value that is rejected has its message; `--update` writes rejected.txt', async () => {
  const values = Object.entries(rejected).flatMap(([key, texts]) =>
    texts.map((text) => [{ [key]: text }, {}] as const),
  );
  const told = [...values, ...ofTls].map(([given, environment]) => {
    const parsed = parseOptions(given, environment);
    const mistakes = parsed.ok ? ['accepted'] : parsed.mistakes;
    return [JSON.stringify({ ...given, ...environment }), ...mistakes.map((mistake) => `  ${mistake}`), ''].join('\n');
  });
  await expect(told.join('\n')).toMatchFileSnapshot('rejected.txt');
});

test.each([
  ['default', {}, {}, 4643],
  ['with another --port', { port: '5000' }, {}, 4643],
  ['free if --port is free', { port: '0' }, {}, 0],
  ['free if SANDBOX_PORT is free', {}, { SANDBOX_PORT: '0' }, 0],
  ['set by --tls-port', { port: '0', tlsPort: '4643' }, {}, 4643],
  ['set by SANDBOX_TLS_PORT', { port: '0' }, { SANDBOX_TLS_PORT: '7000' }, 7000],
])('the port of https: %s', (_what, given, environment, tlsPort) => {
  expect(parseOptions({ tls: 'true', ...given }, environment)).toMatchObject({ ok: true, options: { tlsPort } });
});

test('https can be enabled by the environment', () => {
  const environment = { SANDBOX_TLS: '1', SANDBOX_TLS_NAME: 'a.test *.b.test' };
  expect(parseOptions({}, environment)).toMatchObject({
    ok: true,
    options: { tls: true, tlsNames: ['a.test', '*.b.test'] },
  });
});

test('all mistakes are reported at once, each with the name of its option or variable', () => {
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

test('a message names an option as it was given', () => {
  const parsed = parseOptions({ data: 'x' }, { SANDBOX_SCENARIO: 'a', SANDBOX_DATA: 'y' });
  const names = parsed.ok ? parsed.names : new Map();
  expect(nameAsGiven('--scenario: there is no scenario "a"', names)).toBe('SANDBOX_SCENARIO: there is no scenario "a"');
  expect(nameAsGiven('--data: x is in use', names)).toBe('--data: x is in use');
  expect(nameAsGiven('--scenario-dir: cannot watch', names)).toBe('--scenario-dir: cannot watch');
  expect(nameAsGiven('a.yaml: --scenario', names)).toBe('a.yaml: --scenario');
});

test('an invalid secret is not shown', () => {
  const parsed = parseOptions({ callbackSecret: 'hunter2', adminToken: 'hunter2 x', apiKeys: ['hunter2 y'] }, {});
  expect(parsed).toMatchObject({ ok: false, mistakes: [{}, {}, {}].map(() => expect.any(String)) });
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

const exposed =
  'and without an admin token, anyone who reaches the port can read and reset all projects; set --admin-token';

test.each([
  ['0.0.0.0', '--host: with 0.0.0.0'],
  ['::', '--host: with ::'],
  ['192.0.2.7', '--host: with 192.0.2.7'],
])('listening on %s without an admin token causes a warning', (host, beginning) => {
  const remarks = [`${beginning} ${exposed} (SANDBOX_ADMIN_TOKEN)`];
  expect(parseOptions({ host }, {})).toMatchObject({ ok: true, remarks });
});

test.each([
  ['127.0.0.1', {}],
  ['::1', {}],
  ['localhost', {}],
  ['0.0.0.0', { SANDBOX_ADMIN_TOKEN: 'letmein' }],
])('listening on %s with %j causes no warning', (host, environment) => {
  expect(parseOptions({ host }, environment)).toMatchObject({ ok: true, remarks: [] });
});

test('variables for clients cause no warning', () => {
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
  // Variables of other tools, similar only in their prefix.
  ['SANDBOX_FOO', ''],
  ['SANDBOX_', ''],
])('an unknown variable causes a warning: %s', (name, meant) => {
  const remarks = [`unknown environment variable ${name}${meant}`];
  expect(parseOptions({}, { [name]: '1' })).toMatchObject({ ok: true, remarks });
});

test('every option has its own variable and a help text', () => {
  expect(new Set(optionTable.map(({ env }) => env)).size).toBe(optionTable.length);
  for (const { env, help } of optionTable) {
    expect(env).toMatch(/^SANDBOX_[A-Z_]+$/);
    expect(help).not.toBe('');
  }
});

test('variables of service links count as not set, with one warning', () => {
  const links = {
    SANDBOX_PORT: 'tcp://10.96.12.7:4600',
    SANDBOX_TLS_PORT: 'udp://10.96.12.7:4643',
    SANDBOX_SERVICE_HOST: '10.96.12.7',
    SANDBOX_SERVICE_PORT: '4600',
    SANDBOX_SERVICE_PORT_HTTP: '4600',
    SANDBOX_PORT_4600_TCP: 'tcp://10.96.12.7:4600',
    SANDBOX_PORT_4600_TCP_ADDR: '10.96.12.7',
    SANDBOX_NAME: '/app/sandbox',
    SANDBOX_ENV_PATH: '/usr/bin',
    SANDBOX_UI_PORT: 'tcp://10.96.12.8:80',
  };
  const warning =
    'SANDBOX_PORT, SANDBOX_TLS_PORT, SANDBOX_UI_PORT: ignored, because an orchestrator sets it for a service named ' +
    'sandbox (tcp://10.96.12.7:4600); set enableServiceLinks: false in the pod, or give the service another name';
  const expected = { ok: true, options: { port: 4600, tlsPort: 4643 }, remarks: [warning] };
  expect(parseOptions({}, readEnvironment(links))).toMatchObject(expected);
});

test('white space at the end of a variable does not count', () => {
  const environment = readEnvironment({ SANDBOX_PORT: '0\r', SANDBOX_CLOCK: 'frozen\r\n', SANDBOX_SEED: ' \t' });
  expect(environment).toEqual({ SANDBOX_PORT: '0', SANDBOX_CLOCK: 'frozen' });
});
