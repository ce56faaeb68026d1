/** Finds which of several kinds of mapping was meant by the keys that a mapping has; knows of no message. */
import { nearest } from './nearest.ts';
import { requiredKeys, type Shape, shapesWithin } from './schema-shape.ts';

// What a key tells: the one that a kind of mapping must have tells most, a misspelled one a little less.
const weights = { required: 8, nearRequired: 6, optional: 3, nearOptional: 2, within: 3 } as const;

const mostKeys = 20;

/**
 * The index of the shape that knows the most of these keys, by what they are worth.
 * Undefined where none of them is known, or several shapes would do as well and no key that one must have is there.
 */
export function meantShape(keys: readonly string[], shapes: readonly Shape[]): number | undefined {
  const told = keys.slice(0, mostKeys);
  const scores = shapes.map((shape) => told.reduce((sum, key) => sum + worth(key, shape), 0));
  const best = Math.max(...scores);
  if (best === 0) return undefined;
  const isTie = scores.filter((score) => score === best).length > 1;
  return isTie && best < weights.nearRequired ? undefined : scores.indexOf(best);
}

function worth(key: string, shape: Shape): number {
  const required = requiredKeys(shape);
  if (required.includes(key)) return weights.required;
  if (Object.hasOwn(shape, key)) return weights.optional;
  const near = nearest(key, Object.keys(shape));
  if (near !== undefined) return required.includes(near) ? weights.nearRequired : weights.nearOptional;
  const isWithin = Object.values(shape).some((child) => shapesWithin(child).some((inner) => Object.hasOwn(inner, key)));
  return isWithin ? weights.within : 0;
}
