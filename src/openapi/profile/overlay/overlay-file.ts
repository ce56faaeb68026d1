/** Parses OpenAPI Overlay files; reports all mistakes at once, with line and column. */
import { compile } from 'json-p3';
import { z } from 'zod';
import { type Issue, readYaml, type YamlResult } from '../../../diagnostics/yaml-file.ts';

/** One change: `remove` deletes what the target selects, `update` is merged into it. */
export interface OverlayAction {
  readonly target: string;
  readonly description?: string;
  readonly update?: unknown;
  readonly remove?: boolean;
}

export interface Overlay {
  readonly overlay: string;
  readonly actions: readonly OverlayAction[];
}

const target = z.string().superRefine((text, context) => {
  try {
    compile(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/ \('.*$/s, '');
    context.addIssue({ code: 'custom', message: `expected a JSONPath (RFC 9535) such as $.info: ${reason}` });
  }
});

const action = z.strictObject({
  target,
  description: z.string().exactOptional(),
  update: z.unknown().exactOptional(),
  remove: z.boolean().exactOptional(),
});

const schema = z.strictObject({
  overlay: z
    .string()
    .regex(/^1\.0\.\d+$/, { error: 'expected 1.0.0, the version of the OpenAPI Overlay Specification' }),
  info: z.strictObject({ title: z.string(), version: z.string() }).exactOptional(),
  extends: z.string().exactOptional(),
  actions: z.array(action).min(1, { error: 'expected at least one action' }),
});

/** Parses the text of an overlay. Ignores keys that begin with `x-`. */
export function parseOverlay(text: string, file: string): YamlResult<Overlay> {
  const read = readYaml(text, file, schema);
  if (read.ok) return { ok: true, value: read.value as Overlay };
  const issues = read.issues.filter((issue) => !isExtension(issue));
  return issues.length > 0 ? { ok: false, issues } : readYaml(text, file, z.any() as z.ZodType<Overlay>);
}

function isExtension({ message }: Issue): boolean {
  return message.startsWith('unknown key "x-');
}
