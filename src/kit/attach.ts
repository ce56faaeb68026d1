/** Finds the sandbox that the environment names, and holds what a test asks for against what that one was started with. */
import { randomUUID } from 'node:crypto';
import { didYouMean } from '../base/nearest.ts';
import { parseTimestamp } from '../base/time.ts';
import type { components } from '../contract/control.gen.ts';
import { parseKey } from '../contract/keys.ts';
import { optionTable } from '../option-table.ts';
import type { OptionTexts } from '../options.ts';
import { type ControlClient, createControlClient } from './control-client.ts';
import { toOptions, toOptionsError } from './option-texts.ts';
import type { Reached } from './own-sandbox.ts';
import { createSandboxError, type SandboxError } from './sandbox-error.ts';
import { readGiven } from './scenario-files.ts';
import type { Scenario } from './types.ts';

type Environment = Readonly<Record<string, string>>;
type Schemas = components['schemas'];

const origin = ' (SANDBOX_URL)';

/** Where a sandbox of one's own would listen and what it would print: nothing that a test sees. */
const needless: readonly string[] = ['port', 'host', 'log'];

/** @throws SandboxError where there is none, it can't be entered, or it is not what the options ask for */
export async function attach(texts: OptionTexts, environment: Environment): Promise<Reached> {
  const url = (environment['SANDBOX_URL'] ?? '').replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) {
    throw createSandboxError(
      `SANDBOX_URL: expected an address such as http://127.0.0.1:4600, got "${environment['SANDBOX_URL']}"`,
    );
  }
  const { adminToken: given } = toOptions(texts);
  const adminToken = environment['SANDBOX_ADMIN_TOKEN'] ?? given;
  const client = createControlClient({ url, origin, adminToken });
  const settings = await client.ask<Schemas['Settings']>('GET', '/settings').catch((error: SandboxError) => {
    throw error.status === 401 ? toLocked(url, adminToken !== undefined) : error;
  });
  const { adminToken: _token, apiKeys, ...asked } = await nameScenarios(texts);
  const mistakes = await compare(asked, settings, client);
  if (mistakes.length > 0) throw toOptionsError([`${url}${origin} is not what is asked for`, ...mistakes]);
  return {
    url,
    origin,
    adminToken,
    apiKey: chooseKey(environment, apiKeys, settings, url),
    end: async () => undefined,
  };
}

function toLocked(url: string, hasToken: boolean): SandboxError {
  const said = hasToken ? 'and what was given is another' : 'give it in SANDBOX_ADMIN_TOKEN';
  return createSandboxError(`the sandbox at ${url}${origin} wants its admin token: ${said}`, { status: 401 });
}

function chooseKey(
  environment: Environment,
  asked: OptionTexts['apiKeys'],
  settings: Schemas['Settings'],
  url: string,
): string {
  const [text] = [environment['SANDBOX_API_KEY']?.trim().split(/\s+/) ?? asked ?? settings.apiKey ?? []].flat();
  if (text === undefined) {
    throw createSandboxError(`the sandbox at ${url}${origin} has keys of its own: give one in SANDBOX_API_KEY`);
  }
  const key = parseKey(text);
  if (typeof key === 'string') throw createSandboxError(`SANDBOX_API_KEY: ${key}`);
  return key.key;
}

/** The names of scenarios that were given as files or written out: by these the other one knows its own. */
async function nameScenarios(texts: OptionTexts): Promise<OptionTexts> {
  if (texts.scenarios === undefined) return texts;
  const given = [texts.scenarios].flat().map((one) => (one.startsWith('{') ? (JSON.parse(one) as Scenario) : one));
  const scenarios = (await readGiven(given)).map((one) => (typeof one === 'string' ? one : one.name));
  return { ...texts, scenarios };
}

/** What the other one has, by the option; undefined where it is as asked for. */
type Comparison = (texts: readonly string[], has: Has) => string | undefined;

interface Has {
  readonly settings: Schemas['Settings'];
  readonly project: Schemas['ProjectSummary'];
  readonly scenarios: Schemas['ActiveScenarios'];
}

const isOn = (text: string | undefined): boolean => text === 'true' || text === '1';

const comparisons: Readonly<Record<string, Comparison>> = {
  seed: ([seed], { settings }) => (settings.seed === seed ? undefined : `it has "${settings.seed}"`),
  strict: ([strict], { settings }) =>
    settings.strict === isOn(strict) ? undefined : `it is ${settings.strict ? '' : 'not '}strict`,
  magicIds: ([magicIds], { scenarios }) =>
    scenarios.magicIds === isOn(magicIds) ? undefined : `it has them ${scenarios.magicIds ? 'on' : 'off'}`,
  clock: ([clock = ''], { project: { clock: has } }) => {
    const at = parseTimestamp(clock);
    if (at === undefined) return has.mode === clock ? undefined : `it has a ${has.mode} one`;
    return has.mode === 'frozen' && parseTimestamp(has.now) === at ? undefined : `it has a ${has.mode} one, ${has.now}`;
  },
  callbackUrl: ([url], { project: { callbackEndpoint } }) =>
    callbackEndpoint.url === url ? undefined : `it sends them to ${callbackEndpoint.url ?? 'the inbox'}`,
  scenarios: (names, { scenarios: { serverScenarios } }) => {
    const missing = names.find((name) => !serverScenarios.includes(name));
    if (missing === undefined) return undefined;
    const meant = didYouMean(missing, serverScenarios);
    return `it has ${serverScenarios.join(', ') || 'none'} switched on, and not ${missing}${meant}; a project can use() it`;
  },
};

async function compare(texts: OptionTexts, settings: Schemas['Settings'], client: ControlClient) {
  const asked = Object.entries(texts).filter(([key]) => !needless.includes(key));
  if (asked.length === 0) return [];
  // Reading of a project that nobody has makes none, and shows what is so for all.
  const nobody = `/projects/test-${randomUUID()}`;
  const [project, scenarios] = await Promise.all([
    client.ask<Schemas['ProjectSummary']>('GET', nobody),
    client.ask<Schemas['ActiveScenarios']>('GET', `${nobody}/scenarios`),
  ]);
  return asked.flatMap(([key, given]) => {
    const differs = comparisons[key];
    if (!differs) {
      const flag = optionTable.find((row) => row.key === key)?.flag || 'its option';
      return [`${key}: a sandbox that runs already can't be told of it: start it with ${flag}`];
    }
    const difference = differs([given].flat(), { settings, project, scenarios });
    return difference === undefined ? [] : [`${key}: expected ${[given].flat().join(', ')}, but ${difference}`];
  });
}
