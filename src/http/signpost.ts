/** Helps those who came to a path or method that is not there: names the nearest operation. */
import { distance } from 'fastest-levenshtein';
import type { Problem } from '../base/problem.ts';
import { quote } from '../contract/explain.ts';
import type { Match, RoutedOperation } from '../contract/router.ts';

type Missed = Extract<Match, { found: false }>;

/** The refusal of a request that leads nowhere, in the API or in the control API. */
export function createSignpost(
  operations: Iterable<RoutedOperation>,
  where: 'api' | 'control',
): (missed: Missed, method: string, url: string) => Problem {
  const known = [...operations];
  return (missed, method, url) => {
    const path = url.split('?')[0] ?? '';
    switch (missed.why) {
      case 'encoding':
        return {
          kind: 'invalid',
          message: `the path can't be decoded: a "%" must begin two hexadecimal digits, got ${quote(path)}`,
        };
      case 'method': {
        const allow = missed.allow.join(', ');
        const hint =
          where === 'api' && method === 'GET'
            ? '; the API has no read operation: /_sandbox/projects/{projectId} shows what is stored'
            : '';
        return {
          kind: 'unknownMethod',
          message: `${method} is not offered here, only ${allow}${hint}`,
          headers: { allow },
        };
      }
      case 'unknown': {
        const near = nearestOperation(known, method, path);
        const hint = near ? `; the nearest is ${near.method} ${near.path} (${near.id})` : '';
        const advice = where === 'api' ? '. Paths can be moved by a profile (--profile)' : '';
        return { kind: 'unknownPath', message: `no operation has the path ${quote(path)}${hint}${advice}` };
      }
      default:
        return missed satisfies never;
    }
  };
}

const longestPath = 200;

/** Parameters fit anything, so they are filled in with what came at their place. */
function nearestOperation(
  known: readonly RoutedOperation[],
  method: string,
  path: string,
): RoutedOperation | undefined {
  const came = path.slice(0, longestPath).split('/');
  let best: RoutedOperation | undefined;
  let bestAway = Number.POSITIVE_INFINITY;
  for (const operation of known) {
    const filled = operation.path
      .split('/')
      .map((part, place) => (part.startsWith('{') ? (came[place] ?? part) : part));
    const away = distance(came.join('/'), filled.join('/')) + (operation.method === method ? 0 : 0.5);
    if (away < bestAway) {
      best = operation;
      bestAway = away;
    }
  }
  return best;
}
