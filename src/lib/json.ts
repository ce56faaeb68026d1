/** A JSON object whose fields are defined by a specification only. */
export type Json = Record<string, unknown>;
