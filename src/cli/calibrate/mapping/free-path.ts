/** Infers path templates of endpoints that have nothing in common with the default paths. */
import type { Json } from '../../../lib/json.ts';
import { type Exchange, groupBy, isObject } from '../exchange.ts';
import { decode } from './endpoint.ts';
import { pathWords } from './skeleton.ts';

/** Exchanges of one method and path template; its parameters have no names yet: `{}`. */
export interface FreeGroup {
  readonly method: string;
  readonly template: string;
  readonly exchanges: readonly Exchange[];
}

const otherWords = /^(v\d+(\.\d+)?|api|rest|bulk|batch|imports?|updates?|creates?|list|all|single|new)$/i;

/** Whether a segment is a common word of paths or a version, and no identifier. */
export function isWord(segment: string): boolean {
  return pathWords.has(segment) || otherWords.test(segment);
}

/** Number of different values at one position that show a parameter. */
const minValues = 4;

/** Groups exchanges by method and inferred template. `projectIds`: those of other exchanges. */
export function groupFreePaths(exchanges: readonly Exchange[], projectIds: ReadonlySet<string>): readonly FreeGroup[] {
  const known = new Set([...findIdentifierValues(exchanges), ...projectIds]);
  const groups = groupBy(exchanges, ({ method, path }) => `${method} ${toSegments(path).length}`);
  return [...groups.values()].flatMap((group) => splitAt(group, 0, '', known));
}

function toSegments(path: string): readonly string[] {
  return path.replace(/\/+$/, '').split('/').slice(1);
}

/** Splits exchanges whose paths have the same length by their segment at a position. */
function splitAt(
  exchanges: readonly Exchange[],
  position: number,
  template: string,
  known: ReadonlySet<string>,
): readonly FreeGroup[] {
  const [first] = exchanges;
  if (!first) return [];
  if (position === toSegments(first.path).length) return [{ method: first.method, template, exchanges }];
  const byValue = groupBy(exchanges, ({ path }) => toSegments(path)[position] ?? '');
  const values = [...byValue.keys()].filter((value) => !isWord(value));
  const isNamed = /\/(sub-?)?projects?$/i.test(template);
  const isOpen = isNamed || values.some((value) => known.has(decode(value))) || values.length >= minValues;
  const open = isOpen ? values.flatMap((value) => byValue.get(value) ?? []) : [];
  const fixed = [...byValue].filter(([value]) => !isOpen || !values.includes(value));
  return [
    ...fixed.flatMap(([value, group]) => splitAt(group, position + 1, `${template}/${value}`, known)),
    ...splitAt(open, position + 1, `${template}/{}`, known),
  ];
}

const identifierFields = ['id', 'projectId', 'subProjectId', 'jobId', 'orderId', 'username', 'orderNumber'];

/** Returns the values of identifiers in all bodies, at the top and in their lists. */
function findIdentifierValues(exchanges: readonly Exchange[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { body, response, query } of exchanges) {
    for (const object of [...objectsIn(body?.value), ...objectsIn(response.body?.value)])
      for (const name of identifierFields) if (typeof object[name] === 'string') found.add(object[name]);
    for (const [name, value] of query) if (/project|job|order|user/i.test(name)) found.add(value);
  }
  return found;
}

/** Returns an object, and the objects in its lists. */
function objectsIn(value: unknown): readonly Json[] {
  return isObject(value) ? [value, ...Object.values(value).filter(Array.isArray).flat().filter(isObject)] : [];
}
