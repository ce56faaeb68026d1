/** Lists the effects of the scenario language. Each has its own file, and a line in `Then` and in `effects`. */
import type { ZodType } from 'zod';
import type { SchemaPieces } from '../schema-pieces.ts';
import { type CallbackKeys, callback } from './callback.ts';
import { type ConnectionKeys, connection } from './connection.ts';
import type { EffectDefinition } from './definition.ts';
import type { Effect } from './effect.ts';
import { type FailKeys, fail } from './fail.ts';
import { type LatencyKeys, latency } from './latency.ts';
import { type LimitKeys, limit } from './limit.ts';
import { type RefuseKeys, refuse } from './refuse.ts';
import { type RespondKeys, respond } from './respond.ts';

/** The `then` of a rule: at least one effect, and the keys that modify it. */
export interface Then extends RespondKeys, RefuseKeys, FailKeys, LatencyKeys, LimitKeys, ConnectionKeys, CallbackKeys {}

/** An effect with keys of any type. */
interface ListedEffect extends Omit<EffectDefinition<Then>, 'schemas'> {
  readonly schemas: (pieces: SchemaPieces) => Readonly<Record<string, ZodType>>;
}

/** All effects, in the order of the documentation. */
export const effects: readonly ListedEffect[] = [respond, refuse, fail, latency, limit, connection, callback];

export function compileEffects(then: Then): readonly Effect[] {
  return effects.flatMap(({ compile, kind, scope, idleReason }) => {
    const apply = compile(then);
    return apply ? [{ kind, scope, idleReason, apply }] : [];
  });
}
