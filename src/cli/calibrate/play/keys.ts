/** Decides how to play the key of a request, because the traffic's own keys are removed. */
import { defaultKey } from '../../../config/keys.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { foreignKey } from './sandbox.ts';

const unknownKey = 'unknown-key';

/** Words of an error body about a key that is valid elsewhere, and about one that is not valid. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/key[^"]{0,40}(another|other|different) (project|region|tenant)|not allowed for this project/i, foreignKey],
  [/key[^"]{0,30}(never issued|unknown|invalid|not valid|revoked)|(invalid|unknown|bad) (api)?[ -]?key/i, unknownKey],
];

/**
 * Returns the function that chooses the key of each request; undefined for none. A key that was never accepted is wrong.
 * A masked one, or one of another project, is if the status says so.
 */
export function createKeyChoice(
  all: readonly MappedExchange[],
  errors: Readonly<Record<'unknownKey' | 'foreignKey', number>>,
): (one: MappedExchange) => string | undefined {
  const toScope = ({ exchange, identifiers }: MappedExchange): string => `${exchange.key} ${identifiers['projectId']}`;
  const hasKeys = all.some(({ exchange }) => exchange.key !== undefined);
  const successes = all.filter(({ exchange }) => exchange.response.status < 300);
  const accepted = new Set(successes.map(({ exchange }) => exchange.key));
  const acceptedIn = new Set(successes.map(toScope));
  const keyStatuses = [401, 403, errors.unknownKey, errors.foreignKey];
  const isWrong = (one: MappedExchange): boolean => {
    const { key, response } = one.exchange;
    const isNew = typeof key === 'number' && !accepted.has(key) && accepted.size > 0;
    const isIn = typeof key === 'number' && acceptedIn.has(toScope(one));
    return isNew || (!isIn && keyStatuses.includes(response.status));
  };
  return (one) => {
    const { key, response } = one.exchange;
    if (response.status < 400) return defaultKey;
    if (key === undefined && hasKeys) return undefined;
    if (!isWrong(one)) return defaultKey;
    const hint = hints.find(([pattern]) => pattern.test(response.body?.text.slice(0, 2000) ?? ''))?.[1];
    const isForeign = [403, errors.foreignKey].includes(response.status) && response.status !== errors.unknownKey;
    return hint ?? (isForeign || (typeof key === 'number' && accepted.has(key)) ? foreignKey : unknownKey);
  };
}
