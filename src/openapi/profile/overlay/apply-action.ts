/** Applies one action of an overlay to a document. */
import { compile, JSONPathQuery } from 'json-p3';
import { isObject, type Json } from '../../../lib/json.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { toPointer, valueAt } from '../../../lib/pointer.ts';
import type { OverlayAction } from './overlay-file.ts';

/** A mistake of an action, at one of its keys. */
export interface ActionMistake {
  readonly key: 'target' | 'update';
  readonly message: string;
}

type Location = readonly (string | number)[];

/** Changes the document in place, and returns the first mistake. */
export function applyAction(document: Json, action: OverlayAction): ActionMistake | undefined {
  if (action.update === undefined && action.remove !== true) {
    return { key: 'target', message: 'expected `update`, or `remove: true`: this action has no effect' };
  }
  const query = compile(action.target);
  const nodes = query.query(document as never).nodes;
  if (nodes.length === 0)
    return { key: 'target', message: `this target matches nothing in the API document${toHint(query, document)}` };
  // A target such as `$.tags[0,0]` matches a value twice.
  const locations = [...new Map(nodes.map(({ location }) => [toPointer(location), location])).values()];
  if (action.remove === true) return removeAll(document, locations);
  for (const location of locations) {
    const mistake = updateAt(document, location, action.update);
    if (mistake) return mistake;
  }
  return undefined;
}

/** Names the part of a target that matches, and the key that was probably meant. */
function toHint({ environment, segments }: JSONPathQuery, document: Json): string {
  const prefixes = segments.map((_segment, count) => new JSONPathQuery(environment, segments.slice(0, count)));
  const matched = prefixes.findLast((prefix) => !prefix.query(document as never).empty());
  if (matched === undefined) return '';
  const next = /^(?:\['|\["|\.)?([^'"\]]*)/.exec(String(segments[matched.segments.length]))?.[1] ?? '';
  const value: unknown = matched.query(document as never).nodes[0]?.value;
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return `; it matches up to ${String(matched)}${didYouMean(next, names)}`;
}

/** Keywords of a schema that say something, but change nothing that is accepted. */
const aboutValues = /^(x-.*|description|title|examples?|default|deprecated|readOnly|writeOnly)$/;

function removeAll(document: Json, locations: readonly Location[]): ActionMistake | undefined {
  if (locations.some(({ length }) => length === 0)) {
    return { key: 'target', message: 'the document itself cannot be removed' };
  }
  const found = locations.map((path) => ({ parent: valueAt(document, path.slice(0, -1)), key: path.at(-1) ?? '' }));
  const indexOf = (key: string | number): number => (typeof key === 'number' ? key : -1);
  // From the last index to the first, because removing an item of a list moves those after it.
  for (const { parent, key } of found.sort((one, other) => indexOf(other.key) - indexOf(one.key))) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete (parent as Json)[key];
  }
  return undefined;
}

function updateAt(document: Json, location: Location, update: unknown): ActionMistake | undefined {
  const value = valueAt(document, location);
  if (Array.isArray(value)) {
    value.push(...structuredClone(Array.isArray(update) ? update : [update]));
    return undefined;
  }
  if (!isObject(value)) {
    const message = `this target matches ${describe(value)}; expected an object or a list, such as the object that contains it`;
    return { key: 'target', message };
  }
  if (!isObject(update)) return { key: 'update', message: `expected an object to merge, got ${describe(update)}` };
  merge(value, update);
  return undefined;
}

/** Merges objects, appends to lists, and replaces other values. */
function merge(into: Json, update: Json): void {
  // What the document says of its own rule is not true of another one.
  if ('x-rule' in into && Object.keys(update).some((key) => !aboutValues.test(key)))
    for (const key of ['x-rule', 'description', 'x-not-shown']) delete into[key];
  for (const [key, value] of Object.entries(update)) {
    const existing = Object.hasOwn(into, key) ? into[key] : undefined;
    if (isObject(existing) && isObject(value)) merge(existing, value);
    else if (Array.isArray(existing) && Array.isArray(value)) existing.push(...structuredClone(value));
    else into[key] = structuredClone(value);
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'an object'
      : `the ${typeof value} ${JSON.stringify(value)}`;
}
