/** The table of options: names, defaults, help texts and checks. `--help`, the reference and the parser use it. */
import { defaultSecret } from '../callbacks/signature.ts';
import type { InitialClock } from '../lib/clock.ts';
import { defaultKey } from './keys.ts';
import {
  checkAllow,
  checkClock,
  checkHost,
  checkKey,
  checkLease,
  checkMemory,
  checkPort,
  checkPostgres,
  checkSecret,
  checkSwitch,
  checkTiles,
  checkToken,
  checkUrl,
  oneOf,
} from './option-checks.ts';
import { checkTlsName } from './tls-names.ts';

/** The checked options of the server. */
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
  readonly clock: InitialClock;
  readonly strict: boolean;
  readonly adminToken: string | undefined;
  readonly mapTiles: string | undefined;
  readonly data: string | undefined;
  /** URL of the database that several servers share. */
  readonly postgres: string | undefined;
  /** Host under which the other servers reach this one; undefined: the address that it listens on. */
  readonly clusterHost: string | undefined;
  readonly clusterPort: number;
  /** In milliseconds. */
  readonly lease: number;
  readonly rolling: boolean;
  /** In bytes; undefined means the default. */
  readonly memory: number | undefined;
  readonly demo: boolean;
  readonly log: 'auto' | 'pretty' | 'json' | 'off';
  readonly json: boolean;
}

/** One option. `--help`, the reference and the environment variable names are created from it. */
export interface OptionRow {
  readonly key: keyof Options;
  /** Flag in the syntax of commander: `--port <number>`. */
  readonly flag: string;
  /** Name of the environment variable. */
  readonly env: string;
  readonly defaultText: string;
  readonly help: string;
  readonly repeatable?: true;
  readonly onlyEnv?: true;
  /** Returns a message that begins with the expected value, or undefined if the value is valid. */
  check?(text: string, options?: Pick<Options, 'profile'>): string | undefined;
}

/** Defaults of `run`: a free port on localhost, and no log next to the output of its command. */
export const runDefaults: Readonly<Partial<Record<keyof Options, string>>> = {
  port: '0',
  host: '127.0.0.1',
  log: 'off',
};

/** Environment variables that `run` ignores, because they may be set for another sandbox. */
export const runIgnores: readonly string[] = [
  'SANDBOX_PORT',
  'SANDBOX_TLS_PORT',
  'SANDBOX_HOST',
  'SANDBOX_JSON',
  'SANDBOX_DATA',
  'SANDBOX_POSTGRES',
  'SANDBOX_DEMO',
];

/** All options of `start`. */
export const optionTable: readonly OptionRow[] = [
  {
    key: 'port',
    flag: '--port <number>',
    env: 'SANDBOX_PORT',
    defaultText: '4600',
    help: 'port to listen on; 0 picks a free port',
    check: checkPort,
  },
  {
    key: 'host',
    flag: '--host <name>',
    env: 'SANDBOX_HOST',
    defaultText: '127.0.0.1',
    help: 'address to listen on; the image sets 0.0.0.0',
    check: checkHost,
  },
  {
    key: 'tls',
    flag: '--tls',
    env: 'SANDBOX_TLS',
    defaultText: 'false',
    help: 'also serve https, with a certificate created at start; clients download it from GET /_sandbox/ca.pem',
    check: checkSwitch,
  },
  {
    key: 'tlsPort',
    flag: '--tls-port <number>',
    env: 'SANDBOX_TLS_PORT',
    defaultText: '4643',
    help: 'port for https; 0 picks a free port, as does --port 0',
    check: checkPort,
  },
  {
    key: 'tlsNames',
    flag: '--tls-name <name>',
    env: 'SANDBOX_TLS_NAME',
    defaultText: '',
    help: 'additional host name, *.name or IP address in the certificate',
    repeatable: true,
    check: checkTlsName,
  },
  {
    key: 'tlsCert',
    flag: '--tls-cert <file>',
    env: 'SANDBOX_TLS_CERT',
    defaultText: '',
    help: 'PEM file with your own certificate instead, first in its chain',
  },
  {
    key: 'tlsKey',
    flag: '--tls-key <file>',
    env: 'SANDBOX_TLS_KEY',
    defaultText: '',
    help: 'PEM file with the private key of --tls-cert, without a passphrase',
  },
  {
    key: 'scenarios',
    flag: '--scenario <name|file>',
    env: 'SANDBOX_SCENARIO',
    defaultText: '',
    help: 'activate a scenario for all projects',
    repeatable: true,
  },
  {
    key: 'scenarioDir',
    flag: '--scenario-dir <dir>',
    env: 'SANDBOX_SCENARIO_DIR',
    defaultText: '',
    help: 'folder with more scenarios; reloaded when a file changes, but active scenarios keep their version',
  },
  {
    key: 'scenarioYaml',
    flag: '',
    env: 'SANDBOX_SCENARIO_YAML',
    defaultText: '',
    help: 'text of a scenario, in YAML, to activate for all projects',
    onlyEnv: true,
  },
  {
    key: 'magicIds',
    flag: '--no-magic-ids',
    env: 'SANDBOX_MAGIC_IDS',
    defaultText: 'true',
    help: 'disable magic ids, such as FAIL-… and REFUSE-…; or SANDBOX_MAGIC_IDS=false',
    check: checkSwitch,
  },
  {
    key: 'profile',
    flag: '--profile <file>',
    env: 'SANDBOX_PROFILE',
    defaultText: '',
    help: 'settings that the API documentation does not show, merged over spec/profile.yaml',
  },
  {
    key: 'apiKeys',
    flag: '--api-key <key>',
    env: 'SANDBOX_API_KEY',
    defaultText: defaultKey,
    help: 'KEY[@REGION][=PROJECT,…]: a valid key with its region and projects; replaces the default key',
    repeatable: true,
    check: checkKey,
  },
  {
    key: 'callbackUrl',
    flag: '--callback-url <url>',
    env: 'SANDBOX_CALLBACK_URL',
    defaultText: '',
    help: 'URL that receives the callbacks of all projects; without it, the inbox stores them',
    check: checkUrl,
  },
  {
    key: 'callbackSecret',
    flag: '--callback-secret <secret>',
    env: 'SANDBOX_CALLBACK_SECRET',
    defaultText: defaultSecret,
    help: 'secret that signs callbacks: whsec_ and base64 of 24 to 64 bytes; a profile may accept any text',
    check: checkSecret,
  },
  {
    key: 'callbackAllow',
    flag: '--callback-allow <host>',
    env: 'SANDBOX_CALLBACK_ALLOW',
    defaultText: '',
    help: 'only send callbacks to this host, *.host, address or range, each with an optional :port',
    repeatable: true,
    check: checkAllow,
  },
  {
    key: 'seed',
    flag: '--seed <text>',
    env: 'SANDBOX_SEED',
    defaultText: 'field-sandbox',
    help: 'seed for generated values',
  },
  {
    key: 'clock',
    flag: '--clock <mode>',
    env: 'SANDBOX_CLOCK',
    defaultText: 'real',
    help: 'real, frozen, an ISO 8601 timestamp to freeze at, or a rate from 0.1x to 1000x',
    check: checkClock,
  },
  {
    key: 'strict',
    flag: '--strict',
    env: 'SANDBOX_STRICT',
    defaultText: 'false',
    help: 'reject requests that are accepted with a warning by default',
    check: checkSwitch,
  },
  {
    key: 'adminToken',
    flag: '--admin-token <token>',
    env: 'SANDBOX_ADMIN_TOKEN',
    defaultText: '',
    help: 'admin token of the control API; without it, a key of projects opens only their part',
    check: checkToken,
  },
  {
    key: 'mapTiles',
    flag: '--map-tiles <url>',
    env: 'SANDBOX_MAP_TILES',
    defaultText: '',
    help: 'URL template for map tiles in the console, with {z}, {x} and {y}; without it, the map shows outlines',
    check: checkTiles,
  },
  {
    key: 'data',
    flag: '--data <dir>',
    env: 'SANDBOX_DATA',
    defaultText: '',
    help: 'folder to store projects in, one file each; without it, projects are lost when the server stops',
  },
  {
    key: 'postgres',
    flag: '--postgres <url>',
    env: 'SANDBOX_POSTGRES',
    defaultText: '',
    help: 'PostgreSQL database, postgres://…, in which several servers share their projects; instead of --data',
    check: checkPostgres,
  },
  {
    key: 'clusterHost',
    flag: '--cluster-host <name>',
    env: 'SANDBOX_CLUSTER_HOST',
    defaultText: '',
    help: 'host name or address under which the other servers of --postgres reach this one; default: that of --host',
    check: checkHost,
  },
  {
    key: 'clusterPort',
    flag: '--cluster-port <number>',
    env: 'SANDBOX_CLUSTER_PORT',
    defaultText: '4601',
    help: 'port for the other servers of --postgres; 0 picks a free port',
    check: checkPort,
  },
  {
    key: 'lease',
    flag: '--lease <duration>',
    env: 'SANDBOX_LEASE',
    defaultText: '5s',
    help: 'time after which the other servers of --postgres take over the projects of one that has stopped to respond',
    check: checkLease,
  },
  {
    key: 'rolling',
    flag: '--rolling',
    env: 'SANDBOX_ROLLING',
    defaultText: 'false',
    help: 'join servers of --postgres that have another profile or other API keys, during an update',
    check: checkSwitch,
  },
  {
    key: 'memory',
    flag: '--memory <size>',
    env: 'SANDBOX_MEMORY',
    defaultText: '',
    help: 'maximum memory, such as 512MB or 2GB; default: 70 % of the machine or container, at most 75 % of the V8 heap; above it, the sandbox evicts idle projects, then responds with 507',
    check: checkMemory,
  },
  {
    key: 'demo',
    flag: '--demo',
    env: 'SANDBOX_DEMO',
    defaultText: 'false',
    help: 'create a project "demo" with sample data',
    check: checkSwitch,
  },
  {
    key: 'log',
    flag: '--log <form>',
    env: 'SANDBOX_LOG',
    defaultText: 'auto',
    help: 'log format: pretty, json, off, or auto: pretty in a terminal, otherwise json',
    check: oneOf('auto', 'pretty', 'json', 'off'),
  },
  {
    key: 'json',
    flag: '--json',
    env: 'SANDBOX_JSON',
    defaultText: 'false',
    help: 'print JSON lines; the first when the server is ready',
    check: checkSwitch,
  },
];
