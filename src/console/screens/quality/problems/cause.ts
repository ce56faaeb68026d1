/** Reduces messages to their cause by removing the received values, and determines the kind of each message. */

/** The kind of a problem, for which there is advice. */
export type Kind =
  | 'unknownField'
  | 'missingField'
  | 'wrongValue'
  | 'wrongType'
  | 'wrongTime'
  | 'swapped'
  | 'disagreement'
  | 'notJson'
  | 'ambiguous'
  | 'malformed'
  | 'contentType'
  | 'missingKey'
  | 'unknownKey'
  | 'foreignKey'
  | 'unknownPath'
  | 'unknownMethod'
  | 'unknownScenario'
  | 'duplicate'
  | 'pendingRecord'
  | 'unknownRecord'
  | 'subproject'
  | 'proof'
  | 'tooLarge'
  | 'limit'
  | 'scenarioResponse'
  | 'scenarioLimit'
  | 'scenarioEntry'
  | 'scenarioConnection'
  | 'undelivered'
  | 'internal'
  | 'other';

const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/^unknown field/, 'unknownField'],
  [/^required, but missing|^An? \w+ needs `|needs the `|^The default `type`/, 'missingField'],
  [/ISO 8601/, 'wrongTime'],
  [/longitude/, 'swapped'],
  [/as in the path/, 'disagreement'],
  [/content-type|content-encoding|charset/, 'contentType'],
  [/^the body (is|ended)/, 'notJson'],
  [/^the field appears twice|^the integer is beyond|^the id contains a control/, 'ambiguous'],
  [/^the data is not a valid HTTP|header `host`/, 'malformed'],
  [/API key is missing/, 'missingKey'],
  [/API key was never issued/, 'unknownKey'],
  [/API key is for/, 'foreignKey'],
  [/^no operation has/, 'unknownPath'],
  [/^this path does not support/, 'unknownMethod'],
  [/^there is no scenario/, 'unknownScenario'],
  [/exists already/, 'duplicate'],
  [/is unknown; an import of it/, 'pendingRecord'],
  [/is unknown/, 'unknownRecord'],
  [/updated through subproject/, 'subproject'],
  [/proof ?of ?delivery/i, 'proof'],
  [/^the body must (?:be|have) at most|at most [\d,.]+ entries/, 'tooLarge'],
  [/^expected (an?|null) /, 'wrongType'],
  [/^expected |^Send |^Password|^The `|^The type `|^A password/, 'wrongValue'],
];

const byStatus: Readonly<Record<number, Kind>> = {
  401: 'unknownKey',
  403: 'foreignKey',
  404: 'unknownPath',
  405: 'unknownMethod',
  409: 'duplicate',
  413: 'tooLarge',
  415: 'contentType',
  429: 'limit',
};

/** Returns the kind of a message, or the kind that matches the status of its response. */
export function kindOf(message: string, status = 0): Kind {
  const found = kinds.find(([pattern]) => pattern.test(message));
  return found?.[1] ?? byStatus[status] ?? (status >= 500 ? 'internal' : 'other');
}

const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const receivedValue = new RegExp(`, got (?:${quoted}|\\[[^\\]]*\\]|[^,:;]*)(?:, did you mean [^?]*\\?)?`, 'g');

/** Removes the received values from a message, so that messages with the same cause are equal. */
export function generalise(message: string): string {
  return message
    .replace(/^(the body must .*?), got (?:more|[\d,]+)(?=\. )/, '$1')
    .replace(receivedValue, '')
    .replace(/ at line \d+, column \d+/, '')
    .replace(new RegExp(`^no operation has the path ${quoted}`), 'no operation has this path')
    .replace(/\. To use other paths, start the sandbox with a profile.*$/, '')
    .replace(new RegExp(`^expected ${quoted} as in the path`), 'expected the same as in the path')
    .replace(/^(job|order|route|user|device) \S+ (exists|is|belongs) /, '$1 * $2 ')
    .replace(/^its route \S+ failed/, 'its route * failed')
    .replace(/(; the stored job|subproject) (is|has|and was|through) \S+$/, '$1 $2 …');
}

/** Replaces the indexes of entries in a path. */
export function generalisePlace(path: string): string {
  return path.replace(/\/\d+(?=\/|$)/g, '/*');
}

/** Returns the first error in the reason of an entry: `path: message`, or a message alone. */
export function firstOf(reason: string): { readonly place: string; readonly message: string } {
  const [first = ''] = reason.split(/; (?=[A-Za-z_][\w/.~-]*: )/);
  const [, place, message] = /^([A-Za-z_][\w/.~-]*): (.*)$/s.exec(first) ?? [];
  const isPlaced = place !== undefined && message !== undefined && kindOf(message) !== 'other';
  return isPlaced ? { place: generalisePlace(place), message } : { place: '', message: first };
}
