/** Describes unknown keys: which key was meant, or where the key belongs. */
import { nearest } from '../lib/nearest.ts';
import { joinNames, show } from './issue-message.ts';
import { type Shape, shapesOf } from './schema-shape.ts';

/** A message about a key, and the keys of the same mapping that it was meant for. */
export interface KeyAdvice {
  readonly message: string;
  readonly meant: readonly string[];
  /** The key that was misspelled. */
  readonly correct?: string;
}

/** Describes a key that a mapping must not have. `present`: its keys; `shapes`: its options. */
export function describeUnknownKey(key: string, present: readonly string[], shapes: readonly Shape[]): KeyAdvice {
  const unknown = `unknown key ${show(key)}`;
  const validKeys = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  const [, start = ''] = /^([\w-]+) *[{[]/.exec(key) ?? [];
  if (validKeys.includes(start)) return { message: `a colon is missing after ${start}`, meant: [start] };
  if (key === '<<') return { message: `${unknown}: merge keys are not supported`, meant: validKeys };
  const isOfOtherOption = validKeys.includes(key);
  const similar = isOfOtherOption ? undefined : nearest(key, validKeys);
  if (similar !== undefined)
    return { message: `${unknown}, did you mean ${similar}?`, meant: [similar], correct: similar };
  const containers = findContainers(key, present, shapes);
  if (containers.length > 0) return { message: `${unknown}: move it into ${joinNames(containers)}`, meant: containers };
  if (!isOfOtherOption) return { message: `${unknown}, expected ${joinNames(validKeys)}`, meant: [] };
  const conflicting = present.find((name) => name !== key && validKeys.includes(name));
  return { message: `${key} cannot be combined with ${conflicting}`, meant: [] };
}

/** Returns the keys of the mapping below which a key is valid; only those that are present, if any is. */
function findContainers(key: string, present: readonly string[], shapes: readonly Shape[]): readonly string[] {
  const children = shapes.flatMap((shape) => Object.entries(shape));
  const all = children
    .filter(([, child]) => shapesOf([child]).some((inner) => Object.hasOwn(inner, key)))
    .map(([name]) => name);
  const used = all.filter((name) => present.includes(name));
  return [...new Set(used.length > 0 ? used : all)];
}
