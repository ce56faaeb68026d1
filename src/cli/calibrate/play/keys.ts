/** Decides how to play the key of a request, because the traffic's own keys are removed. */
import { defaultKey } from '../../../config/keys.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { foreignKey } from './sandbox.ts';

/** How the key of a request is played. */
export type KeyTry = 'valid' | 'missing' | 'unknown' | 'foreign';

export const playedKeys: Readonly<Record<KeyTry, string | undefined>> = {
  valid: defaultKey,
  missing: undefined,
  unknown: 'unknown-key',
  foreign: foreignKey,
};

type ErrorStatuses = Readonly<Record<'unknownKey' | 'foreignKey', number>>;

/** Returns a function that decides for each exchange; it knows which keys the real API accepted. */
export function createKeyTries(
  all: readonly MappedExchange[],
  { unknownKey, foreignKey: foreign }: ErrorStatuses,
): (one: MappedExchange) => KeyTry {
  const hasKeys = all.some(({ exchange }) => exchange.key !== undefined);
  const successes = all.filter(({ exchange }) => exchange.response.status < 300);
  const accepted = new Set(successes.map(({ exchange }) => exchange.key));
  const acceptedIn = new Set(successes.map(toScope));

  /** A key that was never accepted is wrong. A masked one, or one of another project, is if the status says so. */
  function isWrong(one: MappedExchange): boolean {
    const { key, response } = one.exchange;
    if (typeof key === 'number' && !accepted.has(key)) return accepted.size > 0;
    const isKeyStatus = [401, 403, unknownKey, foreign].includes(response.status);
    return isKeyStatus && (typeof key !== 'number' || !acceptedIn.has(toScope(one)));
  }

  function toWrong({ exchange: { key, response } }: MappedExchange): KeyTry {
    const hint = hints.find(([pattern]) => pattern.test(response.body?.text.slice(0, 2000) ?? ''))?.[1];
    if (hint) return hint;
    if (typeof key === 'number' && accepted.has(key)) return 'foreign';
    const isForeign = response.status === foreign || response.status === 403;
    return isForeign && response.status !== unknownKey ? 'foreign' : 'unknown';
  }

  return (one) => {
    const { key, response } = one.exchange;
    if (response.status < 400) return 'valid';
    if (key === undefined && hasKeys) return 'missing';
    return isWrong(one) ? toWrong(one) : 'valid';
  };
}

function toScope({ exchange, identifiers }: MappedExchange): string {
  return JSON.stringify([exchange.key, identifiers['projectId']]);
}

/** Words of an error body about a key that is valid elsewhere, and about one that is not valid. */
const hints: readonly (readonly [RegExp, KeyTry])[] = [
  [/key[^"]{0,40}(another|other|different) (project|region|tenant)|not allowed for this project/i, 'foreign'],
  [/key[^"]{0,30}(never issued|unknown|invalid|not valid|revoked)|(invalid|unknown|bad) (api)?[ -]?key/i, 'unknown'],
];
