/** Lists the effects of a rule. Each effect has its own file and a line here. */
import type { Then } from '../types.ts';
import { compileCallback } from './callback.ts';
import { compileConnection } from './connection.ts';
import type { Effect } from './effect.ts';
import { compileFail } from './fail.ts';
import { compileLatency } from './latency.ts';
import { compileLimit } from './limit.ts';
import { compileRefuse } from './refuse.ts';
import { compileRespond } from './respond.ts';

const compilers: readonly ((then: Then) => Effect | undefined)[] = [
  compileRespond,
  compileRefuse,
  compileFail,
  compileLatency,
  compileLimit,
  compileConnection,
  compileCallback,
];

/** Compiles the effects of one rule. */
export function compileEffects(then: Then): readonly Effect[] {
  return compilers.map((compile) => compile(then)).filter((effect) => effect !== undefined);
}
