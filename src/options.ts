/** Makes options of a command line and the environment, of which this is the only reader. */
import { didYouMean, nearest } from './base/nearest.ts';
import { parseTimestamp } from './base/time.ts';
import { type OptionRow, type Options, optionTable } from './option-table.ts';

/** Options as text, by their key: what a command line gives. Switches are 'true' and 'false'. */
export type OptionTexts = Readonly<Partial<Record<keyof Options, string | readonly string[]>>>;

/** What the name of each variable of ours begins with. */
const prefix = 'SANDBOX_';

/** The environment's variables of ours. */
export function readEnvironment(): Readonly<Record<string, string>> {
  // biome-ignore lint/style/noProcessEnv: this is the one place that reads it
  const all = Object.entries(process.env).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''));
}

/** All variables, and these, for a command that is run. */
export function extendEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: this is the one place that reads it
  return { ...process.env, ...more };
}

/** Variables of ours that are for clients of a sandbox. */
const otherVariables = new Set(['SANDBOX_URL', 'SANDBOX_TLS_URL']);

/** What a start came to: options, or everything that is wrong with them. */
export type ParsedOptions =
  | { readonly ok: true; readonly options: Options; readonly remarks: readonly string[] }
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** Options from the command line over those from the environment over the usual ones; all mistakes at once. */
export function parseOptions(given: OptionTexts, environment: Readonly<Record<string, string>>): ParsedOptions {
  const mistakes: string[] = [];
  const texts: Partial<Record<keyof Options, readonly string[]>> = {};
  const names = new Map<keyof Options, string>();
  for (const row of optionTable) {
    const { name, values, isGiven } = valuesOf(row, given, environment);
    texts[row.key] = values;
    if (isGiven) names.set(row.key, name);
    for (const value of values) {
      if (value === '' && row.usual === '' && given[row.key] === undefined) continue;
      const mistake = value === '' ? 'expected a value, got none' : row.check?.(value);
      if (mistake) mistakes.push(`${name}: ${mistake}`);
    }
  }
  const options = toOptions(texts as Record<keyof Options, readonly string[]>, names);
  if (mistakes.length === 0) mistakes.push(...judgeTls(options, names));
  if (mistakes.length > 0) return { ok: false, mistakes };
  const known = [...optionTable.map(({ env }) => env), ...otherVariables];
  const remarks = Object.keys(environment)
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is no option of the sandbox${meantBy(name, known)}`);
  return { ok: true, options, remarks };
}

/** Which variable was probably meant, by what follows the prefix: that is what can be misspelled. */
function meantBy(name: string, known: readonly string[]): string {
  const own = (variable: string): string => variable.slice(prefix.length);
  // There is `--no-magic-ids`, but a variable says it by its value.
  const switches = optionTable.filter(({ usual }) => usual === 'true' || usual === 'false').map(({ env }) => own(env));
  const off = own(name).startsWith('NO_') ? nearest(own(name).slice('NO_'.length), switches) : undefined;
  return off === undefined
    ? didYouMean(own(name), known.map(own)).replace('did you mean ', `$&${prefix}`)
    : `, did you mean ${prefix}${off}=false?`;
}

function valuesOf(row: OptionRow, given: OptionTexts, environment: Readonly<Record<string, string>>) {
  const own = given[row.key];
  if (own !== undefined) return { name: toName(row), values: [own].flat(), isGiven: true };
  const fromEnvironment = environment[row.env];
  const values = fromEnvironment ?? row.usual;
  const list = row.repeatable ? values.split(/\s+/).filter((value) => value !== '') : [values];
  const isGiven = fromEnvironment !== undefined;
  return { name: isGiven ? row.env : row.flag, values: list, isGiven };
}

/** An option as it is written, without its value. */
function toName({ flag }: OptionRow): string {
  return flag.split(' ')[0] ?? '';
}

/** What is wrong with the options of TLS beside each other, each under the name by which it came. */
function judgeTls(options: Options, names: ReadonlyMap<keyof Options, string>): readonly string[] {
  const { tls, port, tlsPort, tlsCert, tlsKey, tlsNames } = options;
  const givenTls = (['tlsPort', 'tlsNames', 'tlsCert', 'tlsKey'] as const).filter((key) => names.has(key));
  if (!tls)
    return givenTls.map((key) => `${names.get(key)}: expected --tls beside it, without which there is no https`);
  const at = (key: keyof Options, mistake: string): string => `${names.get(key) ?? '--tls'}: ${mistake}`;
  return [
    ...(port === tlsPort && port !== 0
      ? [at('tlsPort', `expected another port than --port, got ${port} for both`)]
      : []),
    ...(tlsCert !== undefined && tlsKey === undefined ? [at('tlsCert', 'expected --tls-key beside it')] : []),
    ...(tlsKey !== undefined && tlsCert === undefined ? [at('tlsKey', 'expected --tls-cert beside it')] : []),
    ...(tlsCert !== undefined && tlsNames.length > 0
      ? [at('tlsNames', 'expected no --tls-cert beside it: a certificate that is given has its own names')]
      : []),
  ];
}

function toOptions(
  texts: Record<keyof Options, readonly string[]>,
  names: ReadonlyMap<keyof Options, string>,
): Options {
  const one = (key: keyof Options): string => texts[key][0] ?? '';
  const maybe = (key: keyof Options): string | undefined => (one(key) === '' ? undefined : one(key));
  const isOn = (key: keyof Options): boolean => one(key) === 'true' || one(key) === '1';
  const nowMs = parseTimestamp(one('clock'));
  const port = Number(one('port'));
  return {
    port,
    host: one('host'),
    tls: isOn('tls'),
    // Who wants any free port wants no fixed one beside it.
    tlsPort: port === 0 && !names.has('tlsPort') ? 0 : Number(one('tlsPort')),
    tlsNames: texts.tlsNames,
    tlsCert: maybe('tlsCert'),
    tlsKey: maybe('tlsKey'),
    scenarios: texts.scenarios,
    scenarioDir: maybe('scenarioDir'),
    scenarioYaml: maybe('scenarioYaml'),
    magicIds: isOn('magicIds'),
    profile: maybe('profile'),
    apiKeys: texts.apiKeys,
    callbackUrl: maybe('callbackUrl'),
    callbackSecret: one('callbackSecret'),
    callbackAllow: texts.callbackAllow,
    seed: one('seed'),
    clock: nowMs === undefined ? { mode: one('clock') as 'real' | 'frozen' } : { mode: 'frozen', nowMs },
    strict: isOn('strict'),
    adminToken: maybe('adminToken'),
    mapTiles: maybe('mapTiles'),
    data: maybe('data'),
    demo: isOn('demo'),
    log: one('log') as Options['log'],
    json: isOn('json'),
  };
}
