/** The table of options: names, defaults, meanings, and how each is checked. `--help`, the README and the parser are made from it. */
import { defaultSecret } from './callbacks/signature.ts';
import { defaultKey } from './contract/keys.ts';
import {
  checkAllow,
  checkClock,
  checkHost,
  checkKey,
  checkPort,
  checkSecret,
  checkSwitch,
  checkTiles,
  checkToken,
  checkUrl,
  oneOf,
} from './option-checks.ts';
import { refuseName } from './tls/names.ts';

/** What the server is started with, checked. */
export interface Options {
  readonly port: number;
  readonly host: string;
  readonly tls: boolean;
  readonly tlsPort: number;
  readonly tlsNames: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly scenarios: readonly string[];
  readonly scenarioDir: string | undefined;
  readonly scenarioYaml: string | undefined;
  readonly magicIds: boolean;
  readonly profile: string | undefined;
  readonly apiKeys: readonly string[];
  readonly callbackUrl: string | undefined;
  readonly callbackSecret: string;
  readonly callbackAllow: readonly string[];
  readonly seed: string;
  readonly clock: { readonly mode: 'real' | 'frozen'; readonly nowMs?: number };
  readonly strict: boolean;
  readonly adminToken: string | undefined;
  readonly mapTiles: string | undefined;
  readonly data: string | undefined;
  readonly demo: boolean;
  readonly log: 'auto' | 'pretty' | 'json' | 'off';
  readonly json: boolean;
}

/** One row of the table. `--help`, the README and the environment's names come from it. */
export interface OptionRow {
  readonly key: keyof Options;
  /** As commander writes it: `--port <number>`. */
  readonly flag: string;
  /** Its name in the environment. */
  readonly env: string;
  readonly usual: string;
  readonly help: string;
  readonly repeatable?: true;
  readonly onlyEnv?: true;
  /** What is wrong with a value, beginning with what was expected, or undefined. */
  check?(text: string): string | undefined;
}

/** What is usual for `run`: a free port of this machine alone, and no log beside what its command prints. */
export const runUsuals: Readonly<Partial<Record<keyof Options, string>>> = { port: '0', host: '127.0.0.1', log: 'off' };

/** What `run` does not take from the environment, since that may be meant for another sandbox. */
export const runIgnores: readonly string[] = [
  'SANDBOX_PORT',
  'SANDBOX_TLS_PORT',
  'SANDBOX_HOST',
  'SANDBOX_JSON',
  'SANDBOX_DATA',
  'SANDBOX_DEMO',
];

/** Every option of `start`. */
export const optionTable: readonly OptionRow[] = [
  {
    key: 'port',
    flag: '--port <number>',
    env: 'SANDBOX_PORT',
    usual: '4600',
    help: 'port to listen on; 0 picks a free one',
    check: checkPort,
  },
  {
    key: 'host',
    flag: '--host <name>',
    env: 'SANDBOX_HOST',
    usual: '127.0.0.1',
    help: 'address to listen on; the image sets 0.0.0.0',
    check: checkHost,
  },
  {
    key: 'tls',
    flag: '--tls',
    env: 'SANDBOX_TLS',
    usual: 'false',
    help: 'serve https as well, with a certificate that is made at start: GET /_sandbox/ca.pem gives it, to be trusted',
    check: checkSwitch,
  },
  {
    key: 'tlsPort',
    flag: '--tls-port <number>',
    env: 'SANDBOX_TLS_PORT',
    usual: '4643',
    help: 'port of https; 0 picks a free one, and so does --port 0',
    check: checkPort,
  },
  {
    key: 'tlsNames',
    flag: '--tls-name <name>',
    env: 'SANDBOX_TLS_NAME',
    usual: '',
    help: 'host name, *.name or address that the certificate is good for, beside those of this machine',
    repeatable: true,
    check: refuseName,
  },
  {
    key: 'tlsCert',
    flag: '--tls-cert <file>',
    env: 'SANDBOX_TLS_CERT',
    usual: '',
    help: 'a certificate of your own in place of that, as PEM; a chain begins with it',
  },
  {
    key: 'tlsKey',
    flag: '--tls-key <file>',
    env: 'SANDBOX_TLS_KEY',
    usual: '',
    help: 'its key, as PEM without a passphrase',
  },
  {
    key: 'scenarios',
    flag: '--scenario <name|file>',
    env: 'SANDBOX_SCENARIO',
    usual: '',
    help: 'switch a scenario on for all projects',
    repeatable: true,
  },
  {
    key: 'scenarioDir',
    flag: '--scenario-dir <dir>',
    env: 'SANDBOX_SCENARIO_DIR',
    usual: '',
    help: 'folder of scenarios, added to the shipped ones and read again when a file changes; what is switched on stays as it was',
  },
  {
    key: 'scenarioYaml',
    flag: '',
    env: 'SANDBOX_SCENARIO_YAML',
    usual: '',
    help: 'a scenario itself, as YAML, switched on for all projects',
    onlyEnv: true,
  },
  {
    key: 'magicIds',
    flag: '--no-magic-ids',
    env: 'SANDBOX_MAGIC_IDS',
    usual: 'true',
    help: 'ids such as FAIL-… and REFUSE-… call forth no failures; in the environment, false says so',
    check: checkSwitch,
  },
  {
    key: 'profile',
    flag: '--profile <file>',
    env: 'SANDBOX_PROFILE',
    usual: '',
    help: "answers to what the API's documentation does not show, merged over spec/profile.yaml",
  },
  {
    key: 'apiKeys',
    flag: '--api-key <key>',
    env: 'SANDBOX_API_KEY',
    usual: defaultKey,
    help: 'KEY[@REGION][=PROJECT,…]: a key, and what it is good for; replaces the usual one',
    repeatable: true,
    check: checkKey,
  },
  {
    key: 'callbackUrl',
    flag: '--callback-url <url>',
    env: 'SANDBOX_CALLBACK_URL',
    usual: '',
    help: "where all projects' callbacks go; without it, into the inbox",
    check: checkUrl,
  },
  {
    key: 'callbackSecret',
    flag: '--callback-secret <secret>',
    env: 'SANDBOX_CALLBACK_SECRET',
    usual: defaultSecret,
    help: 'whsec_ and base64 of 24 to 64 bytes, with which callbacks are signed',
    check: checkSecret,
  },
  {
    key: 'callbackAllow',
    flag: '--callback-allow <host>',
    env: 'SANDBOX_CALLBACK_ALLOW',
    usual: '',
    help: 'host, *.host, address or range (each with :port or without) that callbacks may go to, and no other',
    repeatable: true,
    check: checkAllow,
  },
  {
    key: 'seed',
    flag: '--seed <text>',
    env: 'SANDBOX_SEED',
    usual: 'field-sandbox',
    help: 'what all generated values come from',
  },
  {
    key: 'clock',
    flag: '--clock <mode>',
    env: 'SANDBOX_CLOCK',
    usual: 'real',
    help: 'real, frozen, or an ISO 8601 timestamp to freeze at',
    check: checkClock,
  },
  {
    key: 'strict',
    flag: '--strict',
    env: 'SANDBOX_STRICT',
    usual: 'false',
    help: 'refuse what is usually accepted with a warning',
    check: checkSwitch,
  },
  {
    key: 'adminToken',
    flag: '--admin-token <token>',
    env: 'SANDBOX_ADMIN_TOKEN',
    usual: '',
    help: 'asked for by the control API, all but health, ready and ca.pem',
    check: checkToken,
  },
  {
    key: 'mapTiles',
    flag: '--map-tiles <url>',
    env: 'SANDBOX_MAP_TILES',
    usual: '',
    help: "where the console's map has its pictures from, with {z}, {x} and {y}; without it, outlines alone",
    check: checkTiles,
  },
  {
    key: 'data',
    flag: '--data <dir>',
    env: 'SANDBOX_DATA',
    usual: '',
    help: 'folder in which projects outlive the process, each in a file; without it, all is in memory alone',
  },
  {
    key: 'demo',
    flag: '--demo',
    env: 'SANDBOX_DEMO',
    usual: 'false',
    help: 'begin with a project "demo" in which something of everything has happened, until it is reset',
    check: checkSwitch,
  },
  {
    key: 'log',
    flag: '--log <form>',
    env: 'SANDBOX_LOG',
    usual: 'auto',
    help: 'pretty, json, off; auto is pretty in a terminal and json elsewhere',
    check: oneOf('auto', 'pretty', 'json', 'off'),
  },
  {
    key: 'json',
    flag: '--json',
    env: 'SANDBOX_JSON',
    usual: 'false',
    help: 'print JSON lines, the first when ready',
    check: checkSwitch,
  },
];
