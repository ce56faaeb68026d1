/** Creates problems for unknown paths and methods, with the nearest operation as a hint. */
import { distance } from 'fastest-levenshtein';
import type { Problem } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import type { Match, RoutedOperation } from '../openapi/router.ts';

type NotFound = Extract<Match, { found: false }>;

/** Creates a function that returns the problem of a request without an operation, in the API or the control API. */
export function createNotFound(
  operations: Iterable<RoutedOperation>,
  where: 'api' | 'control',
): (notFound: NotFound, method: string, url: string) => Problem {
  const candidates = [...operations];
  return (notFound, method, url) => {
    const path = url.split('?')[0] ?? '';
    switch (notFound.why) {
      case 'encoding':
        return {
          kind: 'invalid',
          message: `the path can't be decoded: expected two hexadecimal digits after each "%", got ${quote(path)}`,
        };
      case 'method': {
        const allow = notFound.allow.join(', ');
        const hint =
          where === 'api' && method === 'GET'
            ? '. The API has no read operations: read stored records at /_sandbox/projects/{projectId}'
            : '';
        return {
          kind: 'unknownMethod',
          message: `this path does not support ${method}; expected ${allow}${hint}`,
          headers: { allow },
        };
      }
      case 'unknown': {
        const near = nearestOperation(candidates, method, path);
        const hint = near ? `; the nearest is ${near.method} ${near.path} (${near.id})` : '';
        const advice = where === 'api' ? '. To use other paths, start the sandbox with a profile (--profile)' : '';
        return { kind: 'unknownPath', message: `no operation has the path ${quote(path)}${hint}${advice}` };
      }
      default:
        return notFound satisfies never;
    }
  };
}

const maxPathLength = 200;

/** Returns the operation with the nearest path. Parameters match anything, so the path's own segments replace them. */
function nearestOperation(
  candidates: readonly RoutedOperation[],
  method: string,
  path: string,
): RoutedOperation | undefined {
  const segments = path.slice(0, maxPathLength).split('/');
  let best: RoutedOperation | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const operation of candidates) {
    const filledIn = operation.path
      .split('/')
      .map((part, place) => (part.startsWith('{') ? (segments[place] ?? part) : part));
    const currentDistance = distance(segments.join('/'), filledIn.join('/')) + (operation.method === method ? 0 : 0.5);
    if (currentDistance < bestDistance) {
      best = operation;
      bestDistance = currentDistance;
    }
  }
  return best;
}
