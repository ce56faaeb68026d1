/** Builds the zod schema of `then` from the schemas of the effects. */
import { z } from 'zod';
import { effects, type Then } from './effects/index.ts';
import { evenIfInvalid, schemaPieces } from './schema-pieces.ts';

const kinds: readonly string[] = effects.map(({ kind }) => kind);

/** The effects that each modifying key belongs to, by key. */
const kindsByModifier = new Map<string, string[]>();
const effectSchemas: Record<string, z.ZodType> = {};
const modifierSchemas: Record<string, z.ZodType> = {};
for (const { kind, schemas } of effects) {
  for (const [key, schema] of Object.entries(schemas(schemaPieces))) {
    if (key === kind) effectSchemas[key] = z.exactOptional(schema);
    else {
      modifierSchemas[key] ??= z.exactOptional(schema);
      kindsByModifier.set(key, [...(kindsByModifier.get(key) ?? []), kind]);
    }
  }
}

const anyOf = (keys: readonly string[]) => keys.map((key) => ({ required: [key] }));

/** Schema of the `then` of a rule. The compiler has compared the schema of each key with its type in `Then`. */
export const thenSchema: z.ZodType<Then> = z
  .strictObject({ ...effectSchemas, ...modifierSchemas })
  .superRefine(checkModifiers, evenIfInvalid)
  .refine((value) => kinds.some((kind) => kind in value), {
    error: `no effect, expected at least one of ${kinds.join(', ')}`,
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    description: 'The effects of the rule: at least one',
    anyOf: anyOf(kinds),
    dependentSchemas: Object.fromEntries(
      [...kindsByModifier].map(([key, allowed]) => [key, { anyOf: anyOf(allowed) }]),
    ),
  });

function checkModifiers(value: object, context: z.core.$RefinementCtx): void {
  for (const [key, allowed] of kindsByModifier) {
    if (!(key in value) || allowed.some((kind) => kind in value)) continue;
    context.addIssue({
      code: 'custom',
      path: [key],
      message: `"${key}" requires ${allowed.join(' or ')} in the same rule`,
    });
  }
}
