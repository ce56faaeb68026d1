/** Parses the text of a scenario file. Loads yaml and zod, so import it lazily. */
import { z } from 'zod';
import { type Issue, locateInSteps, maxTextLength, readYamlInSteps } from '../diagnostics/yaml-file.ts';
import { isDeeperThan } from '../lib/depth.ts';
import { runAll, type Steps } from '../lib/slices.ts';
import { createScenarioSchema } from './schema.ts';
import type { Scenario } from './types.ts';
import { findWarnings } from './warnings.ts';

export type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses a scenario from YAML or JSON; `file` is the name that issues show. */
export function parseScenario(text: string, file: string): ParsedScenario {
  return runAll(parseInSteps(text, file));
}

/** As `parseScenario`, in steps of which none holds the event loop for long. */
function* parseInSteps(text: string, file: string): Steps<ParsedScenario> {
  const read = yield* readYamlInSteps(text, file, createScenarioSchema());
  return read.ok ? { ok: true, scenario: read.value } : read;
}

/** Parses a scenario that must have this name. Reports another name together with all other mistakes. */
export function* parseNamed(text: string, name: string): Steps<ParsedScenario> {
  const parsed = yield* parseInSteps(text, name);
  if (parsed.ok && parsed.scenario.name === name) return parsed;
  const named = yield* readYamlInSteps(
    text,
    name,
    z.looseObject({ name: z.literal(name, `expected "${name}" as in the path`) }),
  );
  const others = parsed.ok ? [] : parsed.issues;
  const misnamed =
    named.ok || others.some(({ path }) => path === '/name') ? [] : named.issues.filter(({ path }) => path === '/name');
  if (misnamed.length === 0) return parsed;
  const issues = [...misnamed, ...others].toSorted((one, other) => one.line - other.line || one.column - other.column);
  return { ok: false, issues };
}

interface CheckedScenario {
  /** Every mistake, in text order. Empty if the scenario is valid. */
  readonly errors: readonly Issue[];
  /** Rules of a valid scenario that can never fire, and effects that cannot apply; at most 100. */
  readonly warnings: readonly Issue[];
}

/** Finds the mistakes and warnings of a text. `file` is the name that issues show. */
export function* checkText(text: string, file: string): Steps<CheckedScenario> {
  const parsed = yield* parseInSteps(text, file);
  if (!parsed.ok) return { errors: parsed.issues, warnings: [] };
  yield;
  const warnings = findWarnings(parsed.scenario);
  yield;
  return { errors: [], warnings: yield* locateInSteps(text, file, warnings) };
}

/** Maximum depth to check here. The text parser reports deeper values. */
const maxLevels = 50;

/** Parses a scenario from a JSON value. One that is too long or invalid is parsed again as text, to create its issues. */
export function* parseInline(value: unknown): Steps<ParsedScenario> {
  const text = JSON.stringify(value);
  const checked = isPlain(value, text) ? createScenarioSchema().safeParse(value) : undefined;
  if (checked?.success) return { ok: true, scenario: checked.data };
  return yield* parseInSteps(text, 'inline scenario');
}

/** Whether the text parser would produce the same value without issues of its own. */
function isPlain(value: unknown, text: string): boolean {
  return text.length <= maxTextLength && !text.includes('__proto__') && !isDeeperThan(value, maxLevels);
}

/**
 * Creates the JSON Schema (draft 2020-12) of scenario files, for editors; spec/scenario.schema.json is its output.
 * Only the parser checks what JSON Schema cannot express: that names of rules exist and differ, whether a glob matches an operation,
 * regular expressions, the length of a duration, and which of two values is larger.
 */
export function scenarioJsonSchema(): object {
  const schema = z.toJSONSchema(createScenarioSchema(), { target: 'draft-2020-12', io: 'input' });
  const { $schema, title, description, ...rest } = schema;
  return { $schema, title, description, ...rest };
}
