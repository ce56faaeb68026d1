/** The table of options: names, defaults, help texts and checks. `--help`, the reference and the parser use it. */
import { defaultSecret } from '../callbacks/signature.ts';
import { type InitialClock, parseRate } from '../lib/clock.ts';
import { parseDuration } from '../lib/duration.ts';
import { parseTimestamp } from '../lib/time.ts';
import { parseSize } from '../openapi/profile/profile.ts';
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

/** What the table says about an option. A flag without a value is a switch; its name is that of the variable, too. */
interface GivenRow<Value = unknown> {
  /** Flag in the syntax of commander: `--port <number>`. */
  readonly flag?: string;
  /** Name of the environment variable of an option without a flag. */
  readonly env?: string;
  readonly defaultText?: string;
  readonly help: string;
  readonly repeatable?: true;
  /** Returns a message that begins with the expected value, or undefined if the value is valid. */
  check?(text: string, options?: Pick<Options, 'profile'>): string | undefined;
  /** Converts a valid text; without it, the value is the text itself. */
  convert?(text: string): Value;
}

/** One option. `--help`, the reference and the environment variable names are created from it. */
export interface OptionRow extends GivenRow {
  readonly key: keyof Options;
  /** Empty for an option that has only a variable. */
  readonly flag: string;
  readonly env: string;
  readonly defaultText: string;
}

/** Defaults of `run`: a free port on localhost, and no log next to the output of its command. */
export const runDefaults: Readonly<Partial<Record<keyof Options, string>>> = {
  port: '0',
  host: '127.0.0.1',
  log: 'off',
};

/** Options that `run` lacks: existing data, or that of other servers, would change its results. */
const sharing = ['data', 'postgres', 'clusterHost', 'clusterPort', 'lease', 'rolling'] as const;
export const runLacks: readonly (keyof Options)[] = ['json', 'demo', ...sharing];

const logForms = ['auto', 'pretty', 'json', 'off'] as const;

const rows: { readonly [Key in keyof Options]: GivenRow<Options[Key]> } = {
  port: {
    flag: '--port <number>',
    defaultText: '4600',
    help: 'port to listen on; 0 picks a free port',
    check: checkPort,
    convert: Number,
  },
  host: {
    flag: '--host <name>',
    defaultText: '127.0.0.1',
    help: 'address to listen on; the image sets 0.0.0.0',
    check: checkHost,
  },
  tls: {
    flag: '--tls',
    help: 'also serve https, with a certificate created at start; clients download it from GET /_sandbox/ca.pem',
  },
  tlsPort: {
    flag: '--tls-port <number>',
    defaultText: '4643',
    help: 'port for https; 0 picks a free port, as does --port 0',
    check: checkPort,
    convert: Number,
  },
  tlsNames: {
    flag: '--tls-name <name>',
    help: 'additional host name, *.name or IP address in the certificate',
    repeatable: true,
    check: checkTlsName,
  },
  tlsCert: {
    flag: '--tls-cert <file>',
    help: 'PEM file with your own certificate instead, first in its chain',
  },
  tlsKey: {
    flag: '--tls-key <file>',
    help: 'PEM file with the private key of --tls-cert, without a passphrase',
  },
  scenarios: {
    flag: '--scenario <name|file>',
    help: 'activate a scenario for all projects',
    repeatable: true,
  },
  scenarioDir: {
    flag: '--scenario-dir <dir>',
    help: 'folder with more scenarios; reloaded when a file changes, but active scenarios keep their version',
  },
  scenarioYaml: {
    env: 'SANDBOX_SCENARIO_YAML',
    help: 'text of a scenario, in YAML, to activate for all projects',
  },
  magicIds: {
    flag: '--no-magic-ids',
    help: 'disable magic ids, such as FAIL-… and REFUSE-…; or SANDBOX_MAGIC_IDS=false',
  },
  profile: {
    flag: '--profile <file>',
    help: 'settings that the API documentation does not show, merged over spec/profile.yaml',
  },
  apiKeys: {
    flag: '--api-key <key>',
    defaultText: defaultKey,
    help: 'KEY[@REGION][=PROJECT,…]: a valid key with its region and projects; replaces the default key',
    repeatable: true,
    check: checkKey,
  },
  callbackUrl: {
    flag: '--callback-url <url>',
    help: 'URL that receives the callbacks of all projects; without it, the inbox stores them',
    check: checkUrl,
  },
  callbackSecret: {
    flag: '--callback-secret <secret>',
    defaultText: defaultSecret,
    help: 'secret that signs callbacks: whsec_ and base64 of 24 to 64 bytes; a profile may accept any text',
    check: checkSecret,
  },
  callbackAllow: {
    flag: '--callback-allow <host>',
    help: 'only send callbacks to this host, *.host, address or range, each with an optional :port',
    repeatable: true,
    check: checkAllow,
  },
  seed: {
    flag: '--seed <text>',
    defaultText: 'field-sandbox',
    help: 'seed for generated values',
  },
  clock: {
    flag: '--clock <mode>',
    defaultText: 'real',
    help: 'real, frozen, an ISO 8601 timestamp to freeze at, or a rate from 0.1x to 1000x',
    check: checkClock,
    convert: toClock,
  },
  strict: {
    flag: '--strict',
    help: 'reject requests that are accepted with a warning by default',
  },
  adminToken: {
    flag: '--admin-token <token>',
    help: 'admin token of the control API; without it, a key of projects opens only their part',
    check: checkToken,
  },
  mapTiles: {
    flag: '--map-tiles <url>',
    help: 'URL template for map tiles in the console, with {z}, {x} and {y}; without it, the map loads nothing',
    check: checkTiles,
  },
  data: {
    flag: '--data <dir>',
    help: 'folder to store projects in, one file each; without it, projects are lost when the server stops',
  },
  postgres: {
    flag: '--postgres <url>',
    help: 'PostgreSQL database, postgres://…, in which several servers share their projects; instead of --data',
    check: checkPostgres,
  },
  clusterHost: {
    flag: '--cluster-host <name>',
    help: 'host name or address under which the other servers of --postgres reach this one; default: that of --host',
    check: checkHost,
  },
  clusterPort: {
    flag: '--cluster-port <number>',
    defaultText: '4601',
    help: 'port for the other servers of --postgres; 0 picks a free port',
    check: checkPort,
    convert: Number,
  },
  lease: {
    flag: '--lease <duration>',
    defaultText: '5s',
    help: 'time after which the other servers of --postgres take over the projects of one that has stopped to respond',
    check: checkLease,
    convert: (text) => parseDuration(text) ?? 0,
  },
  rolling: {
    flag: '--rolling',
    help: 'join servers of --postgres that have another profile or other API keys, during an update',
  },
  memory: {
    flag: '--memory <size>',
    help: 'maximum memory, such as 512MB or 2GB; default: 70 % of the machine or container, at most 75 % of the V8 heap; above it, the sandbox evicts idle projects, then responds with 507',
    check: checkMemory,
    convert: parseSize,
  },
  demo: {
    flag: '--demo',
    help: 'create a project "demo" with sample data',
  },
  log: {
    flag: '--log <form>',
    defaultText: 'auto',
    help: 'log format: pretty, json, off, or auto: pretty in a terminal, otherwise json',
    check: oneOf(...logForms),
    convert: (text) => logForms.find((form) => form === text) ?? 'auto',
  },
  json: {
    flag: '--json',
    help: 'print JSON lines; the first when the server is ready',
  },
};

/** All options of `start`. */
export const optionTable: readonly OptionRow[] = Object.entries<GivenRow>(rows).map(([key, row]) => {
  const { flag = '' } = row;
  const env = `SANDBOX_${flag
    .replace(/^--(no-)?| .*/g, '')
    .replaceAll('-', '_')
    .toUpperCase()}`;
  const isOn = flag.startsWith('--no-');
  const isSwitch = /^[\w-]+$/.test(flag);
  const asSwitch = isSwitch && { defaultText: String(isOn), check: checkSwitch, convert: toBoolean };
  return { key: key as keyof Options, flag, env, defaultText: '', ...row, ...asSwitch };
});

/** Environment variables that `run` ignores, because they may be set for another sandbox. */
export const runIgnores: readonly string[] = optionTable
  .filter(({ key }) => [...runLacks, 'port', 'tlsPort', 'host'].includes(key))
  .map(({ env }) => env);

function toBoolean(text: string): boolean {
  return text === 'true' || text === '1';
}

/** Converts a checked `--clock`. */
function toClock(text: string): InitialClock {
  const rate = parseRate(text);
  if (rate !== undefined) return { mode: 'real', rate };
  const nowMs = parseTimestamp(text);
  return nowMs === undefined ? { mode: text === 'frozen' ? 'frozen' : 'real' } : { mode: 'frozen', nowMs };
}
