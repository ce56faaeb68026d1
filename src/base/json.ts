/** The shape of JSON objects whose fields only a specification knows. */
export type Json = Record<string, unknown>;
