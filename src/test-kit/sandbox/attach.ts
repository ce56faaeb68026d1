/** Connects to the sandbox of `SANDBOX_URL`, and compares its options with those that a test asks for. */

import { randomUUID } from 'node:crypto';
import { toFirstKey } from '../../config/keys.ts';
import { optionTable } from '../../config/option-table.ts';
import type { OptionTexts } from '../../config/options.ts';
import { parseRate } from '../../lib/clock.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { parseTimestamp } from '../../lib/time.ts';
import { isUrl } from '../../lib/url.ts';
import type { components } from '../../openapi/control.gen.ts';
import { ControlClient } from '../control-client.ts';
import { mistakeAt } from '../methods.ts';
import { SandboxError, toMistaken } from '../sandbox-error.ts';
import { readScenarios } from '../scenario-files.ts';
import type { ScenarioInput } from '../types.ts';
import { toOptions } from './option-texts.ts';
import type { StartedSandbox } from './own-sandbox.ts';

type Environment = Readonly<Record<string, string>>;
type Schemas = components['schemas'];

const origin = ' (SANDBOX_URL)';

/** Options without an effect on tests: they only matter for a sandbox that the kit starts itself. */
const ignoredOptions: readonly string[] = ['port', 'host', 'log'];

/**
 * Connects to the sandbox of `SANDBOX_URL`.
 * @throws SandboxError if no sandbox answers there, it rejects the admin token, or its options differ from `texts`
 */
export async function attach(texts: OptionTexts, environment: Environment): Promise<StartedSandbox> {
  const url = (environment['SANDBOX_URL'] ?? '').replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/i.test(url) || !isUrl(url)) {
    const given = environment['SANDBOX_URL'];
    throw mistakeAt('SANDBOX_URL', `expected an address such as http://127.0.0.1:4600, got "${given}"`);
  }
  const { adminToken: optionToken } = toOptions(texts);
  const adminToken = environment['SANDBOX_ADMIN_TOKEN'] ?? optionToken;
  const givenKey = readGivenKey(environment, texts.apiKeys);
  const client = new ControlClient({ url, origin, adminToken, apiKey: givenKey });
  const settings = await client.ask<Schemas['Settings']>('GET', '/settings').catch((error: SandboxError) => {
    throw error.status === 401 ? toLocked(url, error, adminToken, givenKey) : error;
  });
  if (givenKey !== undefined)
    // Without an admin token, every login is rejected: only what the answer says about the key counts.
    await client.ask('POST', '/session', { apikey: givenKey }).catch(({ violations }: SandboxError) => {
      const wrong = violations.find(({ path }) => path === '/apikey');
      if (wrong) throw mistakeAt('SANDBOX_API_KEY', `the sandbox does not accept this key: ${wrong.message}`);
    });
  const { adminToken: _token, apiKeys: _keys, ...requested } = await nameScenarios(texts);
  const mistakes = await compare(requested, settings, client);
  if (mistakes.length > 0)
    // The mistakes first: reports of test runs quote the first line of an error.
    throw toMistaken(
      [
        ...mistakes,
        `the sandbox at ${url}${origin} has other options: start it with these, or leave them out in the test`,
      ],
      'startSandbox: ',
    );
  return {
    url,
    origin,
    adminToken,
    apiKey: givenKey ?? toPublishedKey(settings, url),
    end: async () => undefined,
  };
}

function toLocked(url: string, { status, violations }: SandboxError, token?: string, key?: string): SandboxError {
  const remedy = 'set SANDBOX_ADMIN_TOKEN, or SANDBOX_API_KEY to a key of projects such as test-*';
  const reasons = key === undefined ? [] : violations.map(({ message }) => message);
  const detail = token === undefined ? [...reasons, remedy].join('; ') : 'the given token is wrong';
  return new SandboxError(`the sandbox at ${url}${origin} requires its admin token: ${detail}`, {
    code: 'unauthorized',
    status,
  });
}

/** Returns the first key of the environment or else of the options. */
function readGivenKey(environment: Environment, apiKeys: OptionTexts['apiKeys']): string | undefined {
  try {
    return toFirstKey([environment['SANDBOX_API_KEY']?.trim().split(/\s+/) ?? apiKeys ?? []].flat());
  } catch (error) {
    throw mistakeAt('SANDBOX_API_KEY', (error as Error).message);
  }
}

function toPublishedKey({ apiKey }: Schemas['Settings'], url: string): string {
  if (apiKey !== null) return apiKey;
  throw new SandboxError(`the sandbox at ${url}${origin} does not accept the default API key: set SANDBOX_API_KEY`, {
    code: 'unauthorized',
  });
}

/** Replaces scenario files and objects by their names, because the sandbox lists its scenarios by name. */
async function nameScenarios(texts: OptionTexts): Promise<OptionTexts> {
  if (texts.scenarios === undefined) return texts;
  const inputs = [texts.scenarios]
    .flat()
    .map((one) => (one.startsWith('{') ? (JSON.parse(one) as ScenarioInput) : one));
  const scenarios = (await readScenarios(inputs)).map((one) => (typeof one === 'string' ? one : one.name));
  return { ...texts, scenarios };
}

/** Returns the actual value of an option if it differs from `texts`, otherwise undefined. */
type Comparison = (texts: readonly string[], actual: ActualState) => string | undefined;

/** The state of the sandbox that a test connects to. */
interface ActualState {
  readonly settings: Schemas['Settings'];
  readonly project: Schemas['ProjectSummary'];
  readonly scenarios: Schemas['ActiveScenarios'];
}

const isOn = (text: string | undefined): boolean => text === 'true' || text === '1';

const comparisons: Readonly<Record<string, Comparison>> = {
  seed: ([seed], { settings }) => (settings.seed === seed ? undefined : settings.seed),
  strict: ([strict], { settings }) => (settings.strict === isOn(strict) ? undefined : String(settings.strict)),
  magicIds: ([magicIds], { scenarios }) =>
    scenarios.magicIds === isOn(magicIds) ? undefined : String(scenarios.magicIds),
  clock: ([clock = ''], { project: { clock: actual } }) => {
    const at = parseTimestamp(clock);
    if (at === undefined) {
      const { mode, rate = 0 } = actual;
      const wantedRate = clock === 'frozen' ? 0 : (parseRate(clock) ?? 1);
      if (rate === wantedRate) return undefined;
      return rate > 0 && rate !== 1 ? `${rate}x` : mode;
    }
    const isSame = actual.mode === 'frozen' && parseTimestamp(actual.now) === at;
    return isSame ? undefined : `${actual.mode}, at ${actual.now}`;
  },
  callbackUrl: ([url], { project: { callbackEndpoint } }) =>
    callbackEndpoint.url === url ? undefined : (callbackEndpoint.url ?? 'the inbox'),
  scenarios: (names, { scenarios: { serverScenarios } }) => {
    const missing = names.find((name) => !serverScenarios.includes(name));
    if (missing === undefined) return undefined;
    const suggestion = didYouMean(missing, serverScenarios);
    return `${serverScenarios.join(', ') || 'none'}: ${missing} is not active${suggestion}; activate it with project.use()`;
  },
};

async function compare(texts: OptionTexts, settings: Schemas['Settings'], client: ControlClient) {
  const requested = Object.entries(texts).filter(([key]) => !ignoredOptions.includes(key));
  if (requested.length === 0) return [];
  // Reading an unused project does not create it, and shows the values that apply to all projects.
  const unusedPath = `/projects/test-${randomUUID()}`;
  const [project, scenarios] = await Promise.all([
    client.ask<Schemas['ProjectSummary']>('GET', unusedPath),
    client.ask<Schemas['ActiveScenarios']>('GET', `${unusedPath}/scenarios`),
  ]);
  return requested.flatMap(([key, expected]) => {
    const compareOption = comparisons[key];
    if (!compareOption) {
      const flag = optionTable.find((row) => row.key === key)?.flag || 'its option';
      return [`${key}: can't be set on a running sandbox: start that sandbox with ${flag}`];
    }
    const difference = compareOption([expected].flat(), { settings, project, scenarios });
    return difference === undefined ? [] : [`${key}: expected ${[expected].flat().join(', ')}, got ${difference}`];
  });
}
