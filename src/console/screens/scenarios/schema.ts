/** The JSON Schema of scenarios, as far as form and editor read it. */

/** The keywords of JSON Schema that the schema of scenarios uses for effects. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** A scenario that the library does not need to have. */
export type InlineScenario = Readonly<Record<string, unknown>> & { readonly name: string };
