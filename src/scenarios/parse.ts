/** Turns the text of a scenario file into rules, or into all that is wrong with it; loads yaml and zod, so import it lazily. */
import { z } from 'zod';
import { type Issue, readYaml } from '../base/yaml-file.ts';
import { createScenarioSchema } from './schema.ts';
import type { Scenario } from './types.ts';

/** A scenario, or every issue of its text. */
export type ParsedScenario =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Reads a scenario from YAML or JSON; `file` is the name that issues show, `operationIds` the operations there are. */
export function parseScenario(text: string, file: string, operationIds: readonly string[]): ParsedScenario {
  const read = readYaml(text, file, createScenarioSchema(operationIds));
  return read.ok ? { ok: true, scenario: read.value } : read;
}

/**
 * The JSON Schema (draft 2020-12) of scenario files, for editors; spec/scenario.schema.json is what it gives.
 * What it cannot say is for the parser alone: which rules and which matches of a glob there are, regular expressions,
 * how long a duration is, which of two values is the larger.
 */
export function scenarioJsonSchema(operationIds: readonly string[]): object {
  const schema = z.toJSONSchema(createScenarioSchema(operationIds), { target: 'draft-2020-12', io: 'input' });
  const { $schema, title, description, ...rest } = schema;
  return { $schema, title, description, ...rest };
}
