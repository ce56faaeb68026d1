/** Finds conditions of a rule that exclude each other, and effects without effect. */
import type { Rule } from '../types.ts';
import type { Warning } from './warning.ts';

export function findUnreachable({ when = {}, chance, times, then }: Rule): readonly Warning[] {
  const { request, during } = when;
  const warnings: Warning[] = [];
  if (chance === 0) warnings.push({ path: ['chance'], message: 'never fires: the probability is 0' });
  const last = request && ('nth' in request ? request.nth : 'to' in request ? request.to : undefined);
  const opening = during && 'afterRequests' in during ? during.afterRequests : 0;
  if (last !== undefined && last <= opening) {
    const message = `never matches: request ${last} comes before the time span, which begins after request ${opening}`;
    warnings.push({ path: ['when', 'request'], message });
  }
  const isSingle = times === 1 || (request && ('nth' in request || ('to' in request && request.from === request.to)));
  if (then.callback?.order && isSingle && Object.keys(then).length === 1) {
    const message = 'has no effect: this rule applies to one callback only';
    warnings.push({ path: ['then', 'callback', 'order'], message });
  }
  return warnings;
}

/** Finds a limit in a rule that counts over all projects, because a limit never does. */
export function findLimit({ scope, then }: Rule): readonly Warning[] {
  if (scope !== 'server' || !then.limit) return [];
  const message = 'counts the requests of each project separately, also with `scope: server`';
  return [{ path: ['then', 'limit'], message }];
}
