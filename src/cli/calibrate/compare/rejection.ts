/** Reads the sandbox's own messages about invalid requests: what it expected where. */
import { isObject } from '../exchange.ts';
import type { DifferenceKind } from './difference.ts';

/** A mistake that the sandbox found. */
export interface Rejection {
  readonly kind: DifferenceKind;
  /** Path of the value, with `*` for positions in lists. */
  readonly path: string;
  readonly expected: string;
  readonly seen: string;
}

/** Returns the mistakes of an error body, or of the reason of an entry. */
export function readRejection(value: unknown): readonly Rejection[] {
  if (!isObject(value)) return [];
  const { errors, message } = value;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.filter(isObject).map((error) => toRejection(String(error['path']), String(error['message'])));
  const [, path = '', text = ''] = /^([\w/.~-]+): (.*)$/s.exec(String(message ?? '')) ?? [];
  return text === '' ? [] : [toRejection(path.startsWith('/') ? path : `/${path}`, text)];
}

function toRejection(path: string, message: string): Rejection {
  const general = path.replace(/\/\d+(?=\/|$)/g, '/*');
  const text = message.replace(/, did you mean .*$/s, '');
  const [, expected = '', seen = ''] = /^(.*?)(?:, got (.*))?$/s.exec(text) ?? [];
  const got = seen === '' ? 'accepted' : seen;
  if (/^expected one of |^expected [A-Z_]+$/.test(expected))
    return { kind: 'enum value', path: general, expected: `${general}: ${expected}`, seen: got };
  if (/^required/.test(text))
    return { kind: 'required field', path: general, expected: `${general} is required`, seen: 'accepted without' };
  return { kind: 'status', path: general, expected: `${general}: ${expected}`, seen: got };
}
