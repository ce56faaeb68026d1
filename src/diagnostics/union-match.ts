/** Finds which of several kinds of mapping was meant, by the keys of the mapping. */
import { nearest } from '../lib/nearest.ts';
import { requiredKeys, type Shape, shapesWithin } from './schema-shape.ts';

// A required key is the strongest evidence for a kind of mapping; a misspelled key counts a little less.
const weights = { required: 8, nearRequired: 6, optional: 3, nearOptional: 2, within: 3 } as const;

const maxKeys = 20;

/**
 * Returns the index of the shape with the highest score for these keys.
 * Returns undefined if no shape has any of the keys, or on a tie without a required or nearly required key.
 */
export function findUnionMatch(keys: readonly string[], shapes: readonly Shape[]): number | undefined {
  const counted = keys.slice(0, maxKeys);
  const scores = shapes.map((shape) => counted.reduce((sum, key) => sum + weightOf(key, shape), 0));
  const best = Math.max(...scores);
  if (best === 0) return undefined;
  const isTie = scores.filter((score) => score === best).length > 1;
  return isTie && best < weights.nearRequired ? undefined : scores.indexOf(best);
}

function weightOf(key: string, shape: Shape): number {
  const required = requiredKeys(shape);
  if (required.includes(key)) return weights.required;
  if (Object.hasOwn(shape, key)) return weights.optional;
  const near = nearest(key, Object.keys(shape));
  if (near !== undefined) return required.includes(near) ? weights.nearRequired : weights.nearOptional;
  const isWithin = Object.values(shape).some((child) => shapesWithin(child).some((inner) => Object.hasOwn(inner, key)));
  return isWithin ? weights.within : 0;
}
