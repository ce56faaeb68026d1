/** Parses options from the command line and the environment. No other file reads the environment. */
import { didYouMean, nearest } from '../lib/nearest.ts';
import { isAnyAddress, isLoopback } from './option-checks.ts';
import { type OptionRow, type Options, optionTable } from './option-table.ts';
import { checkTlsName } from './tls-names.ts';

/** Options as text by key, from the command line. Switches are 'true' or 'false'. */
export type OptionTexts = Readonly<Partial<Record<keyof Options, string | readonly string[]>>>;

/** Prefix of the environment variables of the sandbox. */
const prefix = 'SANDBOX_';

/**
 * Returns the environment variables of the sandbox that are not empty, without the white space around them that files
 * and secrets often have. `environment`: by default that of the process.
 */
export function readEnvironment(
  // biome-ignore lint/style/noProcessEnv: this is the one place that reads it
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> {
  const all = Object.entries(environment).filter(([name]) => name.startsWith(prefix));
  const trimmed = all.map(([name, value = '']) => [name, value.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
}

/** Variables that an orchestrator sets for a service named `sandbox`; Docker's links have a NAME and ENV_ too. */
const linkVariable =
  /^SANDBOX_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP)(?:_(?:PROTO|PORT|ADDR))?)$|^SANDBOX_(?:NAME|ENV_\w+)$/;

/** Returns whether an orchestrator set the variable of a port, such as SANDBOX_PORT=tcp://10.96.12.7:4600. */
const isServiceLink = (name: string, value: string): boolean => /PORT$/.test(name) && /^(?:tcp|udp):\/\//.test(value);

/** Variables with the prefix that are not options: clients of a sandbox read them. */
const otherVariables = new Set(['SANDBOX_URL', 'SANDBOX_TLS_URL', 'SANDBOX_CASE']);

/** The names under which options were given, flag or variable. Options that were not given are missing. */
export type OptionNames = ReadonlyMap<keyof Options, string>;

/** The parsed options with warnings in `remarks`, or all mistakes. */
export type ParsedOptions =
  | {
      readonly ok: true;
      readonly options: Options;
      readonly names: OptionNames;
      readonly remarks: readonly string[];
    }
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** Parses options; the command line overrides the environment, which overrides the defaults. Returns all mistakes. */
export function parseOptions(given: OptionTexts, environment: Readonly<Record<string, string>>): ParsedOptions {
  const inputs = optionTable.map((row) => toInput(row, given, environment));
  const names = new Map(inputs.filter(({ isGiven }) => isGiven).map(({ row, name }) => [row.key, name]));
  const options = toOptions(inputs, names);
  const invalid = inputs.flatMap((input) => checkValues(input, options));
  const mistakes = invalid.length > 0 ? invalid : [...checkTls(options, names), ...checkCluster(options, names)];
  if (mistakes.length > 0) return { ok: false, mistakes };
  const remarks = [
    ...findServiceLinks(environment),
    ...findUnknownVariables(environment),
    ...findExposure(options, names),
  ];
  return { ok: true, options, names, remarks };
}

/** Names the option at the beginning of a message as it was given: other modules name it by its flag. */
export function nameAsGiven(message: string, names: OptionNames): string {
  return message.replace(/^--[a-z-]+/, (found) => {
    const row = optionTable.find(({ flag }) => flag.split(' ')[0] === found);
    return (row && names.get(row.key)) ?? found;
  });
}

/** White space between values. That at a comma is within one, except in front of KEY=: the projects of a key are a list. */
const between = /(?<![,\s])\s+(?![,\s])|(?<=,)\s+(?=[^\s,=]+=)/;

/** The values of one option, and the name under which they were given: flag or variable. */
interface OptionInput {
  readonly row: OptionRow;
  readonly name: string;
  readonly values: readonly string[];
  readonly isGiven: boolean;
}

function toInput(row: OptionRow, given: OptionTexts, environment: Readonly<Record<string, string>>): OptionInput {
  const flag = row.flag.split(' ')[0] ?? '';
  const fromCommandLine = given[row.key];
  if (fromCommandLine !== undefined) return { row, name: flag, values: [fromCommandLine].flat(), isGiven: true };
  const value = environment[row.env] ?? '';
  const fromEnvironment = isServiceLink(row.env, value) ? '' : value;
  const isGiven = fromEnvironment !== '';
  const text = isGiven ? fromEnvironment : row.defaultText;
  const values = row.repeatable ? text.split(between).filter((value) => value !== '') : [text];
  return { row, name: isGiven ? row.env : flag, values, isGiven };
}

/** Checks each value of an option. An empty value is valid only as a default. */
function checkValues({ row, name, values, isGiven }: OptionInput, options: Options): readonly string[] {
  return values.flatMap((value) => {
    if (value === '' && !isGiven) return [];
    const mistake = value === '' ? 'expected a value, got none' : row.check?.(value, options);
    return mistake ? [`${name}: ${mistake}`] : [];
  });
}

/** Returns one warning about the variables of ports that an orchestrator has set, which count as not set. */
function findServiceLinks(environment: Readonly<Record<string, string>>): readonly string[] {
  const links = Object.entries(environment).filter(([name, value]) => isServiceLink(name, value));
  if (links.length === 0) return [];
  const [names, [, example]] = [links.map(([name]) => name).join(', '), links[0] as [string, string]];
  const remedy = 'set enableServiceLinks: false in the pod, or give the service another name';
  return [`${names}: ignored, because an orchestrator sets it for a service named sandbox (${example}); ${remedy}`];
}

/** Returns a warning for each variable with the prefix that neither an option nor a client reads. */
function findUnknownVariables(environment: Readonly<Record<string, string>>): readonly string[] {
  const validNames = [...optionTable.map(({ env }) => env), ...otherVariables];
  return Object.entries(environment)
    .filter(([name, value]) => !validNames.includes(name) && !linkVariable.test(name) && !isServiceLink(name, value))
    .map(([name]) => name)
    .map((name) => `unknown environment variable ${name}${suggestVariable(name, validNames)}`);
}

/** Returns a warning if other machines can reach the control API and no token protects it. */
function findExposure({ host, adminToken }: Options, names: OptionNames): readonly string[] {
  if (isLoopback(host) || adminToken !== undefined) return [];
  const name = names.get('host') ?? '--host';
  return [
    `${name}: with ${host} and without an admin token, anyone who reaches the port can read and reset all projects; set --admin-token (SANDBOX_ADMIN_TOKEN)`,
  ];
}

/** Suggests a variable for an unknown name. Compares without the prefix, which all of them share. */
function suggestVariable(name: string, validNames: readonly string[]): string {
  const withoutPrefix = (variable: string): string => variable.slice(prefix.length);
  // `--no-magic-ids` is a flag, but the variable is SANDBOX_MAGIC_IDS=false.
  const switches = optionTable
    .filter(({ defaultText }) => defaultText === 'true' || defaultText === 'false')
    .map(({ env }) => withoutPrefix(env));
  const switchName = withoutPrefix(name).startsWith('NO_')
    ? nearest(withoutPrefix(name).slice('NO_'.length), switches)
    : undefined;
  return switchName === undefined
    ? didYouMean(withoutPrefix(name), validNames.map(withoutPrefix)).replace('did you mean ', `$&${prefix}`)
    : `, did you mean ${prefix}${switchName}=false?`;
}

/** Checks the TLS options in combination. Each message names the option as it was given: flag or variable. */
function checkTls(options: Options, names: OptionNames): readonly string[] {
  const { tls, tlsCert, tlsKey, tlsNames } = options;
  const givenTls = (['tlsPort', 'tlsNames', 'tlsCert', 'tlsKey'] as const).filter((key) => names.has(key));
  if (!tls) return givenTls.map((key) => `${names.get(key)}: requires --tls`);
  const hasCert = tlsCert !== undefined;
  const hasKey = tlsKey !== undefined;
  const checks: readonly (readonly [isWrong: boolean, key: keyof Options, message: string])[] = [
    [hasCert && !hasKey, 'tlsCert', 'requires --tls-key'],
    [hasKey && !hasCert, 'tlsKey', 'requires --tls-cert'],
    [hasCert && tlsNames.length > 0, 'tlsNames', 'cannot be combined with --tls-cert, which has its own names'],
  ];
  const wrong = checks.filter(([isWrong]) => isWrong);
  return [
    ...findSamePort(options, names, 'tlsPort', 'port'),
    ...wrong.map(([, key, message]) => `${names.get(key)}: ${message}`),
  ];
}

const portFlags = { port: '--port', tlsPort: '--tls-port', clusterPort: '--cluster-port' } as const;

function findSamePort(
  options: Options,
  names: OptionNames,
  key: keyof typeof portFlags,
  other: keyof typeof portFlags,
): readonly string[] {
  const port = options[key];
  if (port !== options[other] || port === 0) return [];
  const toName = (one: keyof typeof portFlags): string => names.get(one) ?? portFlags[one];
  return [`${toName(key)}: must differ from ${toName(other)}, got ${port} for both`];
}

/** Checks the options of several servers in combination. Each message names the option as it was given. */
function checkCluster(options: Options, names: OptionNames): readonly string[] {
  const { postgres, host, tls, clusterHost, data, demo } = options;
  const given = (['clusterHost', 'clusterPort', 'lease', 'rolling'] as const).filter((key) => names.has(key));
  if (postgres === undefined) return given.map((key) => `${names.get(key)}: requires --postgres`);
  const excluded = [...(data === undefined ? [] : (['data'] as const)), ...(demo ? (['demo'] as const) : [])];
  const mistakes = excluded.map((key) => `${names.get(key)}: cannot be combined with ${names.get('postgres')}`);
  mistakes.push(...findSamePort(options, names, 'clusterPort', 'port'));
  if (tls) mistakes.push(...findSamePort(options, names, 'clusterPort', 'tlsPort'));
  if (clusterHost === undefined && isAnyAddress(host))
    mistakes.push(
      `--cluster-host: expected the name under which the other servers reach this one, because it listens on all addresses (${host})`,
    );
  else if (!isReachable(clusterHost ?? host))
    mistakes.push(
      `${names.get('clusterHost') ?? '--cluster-host'}: expected the host name or IP address under which the other servers reach this one, without scheme and port, got "${clusterHost ?? host}"`,
    );
  return mistakes;
}

/** Whether a host can be part of the URL by which the other servers reach this one. */
function isReachable(host: string): boolean {
  return !isAnyAddress(host) && !host.startsWith('*') && checkTlsName(host.replace(/\.$/, '')) === undefined;
}

function toOptions(inputs: readonly OptionInput[], names: OptionNames): Options {
  const entries = inputs.map(({ row, values }) => [row.key, toValue(row, values)]);
  // The types of the rows guarantee those of the values.
  const options = Object.fromEntries(entries) as unknown as Options;
  // Port 0 asks for any free port, so the TLS port is not fixed either.
  return options.port === 0 && !names.has('tlsPort') ? { ...options, tlsPort: 0 } : options;
}

function toValue({ repeatable, convert }: OptionRow, values: readonly string[]): unknown {
  const [text = ''] = values;
  if (repeatable) return values;
  if (text === '') return undefined;
  return convert ? convert(text) : text;
}
