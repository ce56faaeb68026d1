/** Defines what one effect of the scenario language consists of. The package's types leave it out, because it needs zod. */
import type { ZodType } from 'zod';
import type { SchemaPieces } from '../schema-pieces.ts';
import type { ApplyEffect, EffectFailure, EffectScope, OperationTraits } from './effect.ts';

/** An effect: a key of `then`, with everything that the sandbox knows about it. `Keys` types its keys in a file. */
export interface EffectDefinition<Keys> {
  /** Its key in `then`, and its name in explanations. */
  readonly kind: string;
  readonly scope: EffectScope;
  /** Creates the schemas of its keys: `kind`, and those that modify it. Lazy, because zod is slow to load. */
  readonly schemas: (pieces: SchemaPieces) => Schemas<Keys>;
  /** Prepares the effect for requests. Returns undefined if the rule does not have it. */
  readonly compile: (then: Keys) => ApplyEffect | undefined;
  /** Completes "matched, but" when the effect was `idle`. */
  readonly idleReason?: string;
  /** Returns the kinds of failure that it adds to the catalog for such an operation, the common ones first. */
  readonly failures: (traits: OperationTraits) => readonly EffectFailure[];
}

/** The schema of each key, which the compiler compares with the type of the key. */
type Schemas<Keys> = { readonly [Key in keyof Keys]-?: ZodType<Exclude<Keys[Key], undefined>> };
