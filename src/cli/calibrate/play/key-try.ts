/** Decides how to play the key of a request, because the traffic's own keys are removed. */
import type { Exchange } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import type { KeyTry } from './render.ts';

type ErrorStatuses = Readonly<Record<'missingKey' | 'unknownKey' | 'foreignKey', number>>;

/** Returns a function that decides for each exchange; it knows which keys the real API accepted. */
export function createKeyTries(
  all: readonly MappedExchange[],
  statuses: ErrorStatuses,
): (mapped: MappedExchange) => KeyTry {
  const hasKeys = all.some(({ exchange }) => exchange.key !== undefined);
  const successes = all.filter(({ exchange }) => isAccepted(exchange));
  const accepted = new Set(successes.map(({ exchange }) => exchange.key));
  const acceptedIn = new Set(successes.map(toScope));

  function judgeKey(mapped: MappedExchange): KeyTry {
    const { key, response } = mapped.exchange;
    if (typeof key !== 'number')
      return isKeyStatus(response.status) ? toRejectedKey(response.status, statuses) : 'valid';
    if (acceptedIn.has(toScope(mapped)) || accepted.size === 0) return 'valid';
    return accepted.has(key) ? 'foreign' : toRejectedKey(response.status, statuses);
  }

  return (mapped) => {
    const { key, response } = mapped.exchange;
    if (response.status < 400) return 'valid';
    if (key === undefined && hasKeys) return 'missing';
    const hinted = findHint(mapped.exchange);
    if (hinted) return hinted === 'missing' && key !== undefined ? 'unknown' : hinted;
    return judgeKey(mapped);
  };
}

function toScope({ exchange, identifiers }: MappedExchange): string {
  return JSON.stringify([exchange.key, identifiers.projectId]);
}

function isAccepted({ response: { status } }: Exchange): boolean {
  return status < 300;
}

function isKeyStatus(status: number): boolean {
  return status === 401 || status === 403;
}

function toRejectedKey(status: number, { unknownKey, foreignKey, missingKey }: ErrorStatuses): KeyTry {
  if (status === unknownKey) return 'unknown';
  if (status === foreignKey) return 'foreign';
  if (status === missingKey) return 'missing';
  return status === 403 ? 'foreign' : 'unknown';
}

/** Words of an error body that name the reason. */
const hints: readonly (readonly [RegExp, KeyTry])[] = [
  [/key[^"]{0,30}(is missing|required|not provided|was not sent)|(missing|no) (api)?[ -]?key/i, 'missing'],
  [/key[^"]{0,40}another (project|region|tenant)|key[^"]{0,20}is for region|not allowed for this project/i, 'foreign'],
  [/key[^"]{0,30}(never issued|unknown|invalid|not valid|revoked)|(invalid|unknown|bad) (api)?[ -]?key/i, 'unknown'],
];

function findHint({ response: { body } }: Exchange): KeyTry | undefined {
  const text = body?.text.slice(0, 2000) ?? '';
  return hints.find(([pattern]) => pattern.test(text))?.[1];
}
