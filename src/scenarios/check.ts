/** Checks the text of a scenario without storing it. Loads yaml and zod, so import it lazily. */
import { type Issue, locateInSteps } from '../diagnostics/yaml-file.ts';
import type { Steps } from '../lib/slices.ts';
import { parseInSteps } from './parse.ts';
import { findWarnings } from './warnings.ts';

export interface CheckedScenario {
  /** Every mistake, in text order. Empty if the scenario is valid. */
  readonly errors: readonly Issue[];
  /** Rules of a valid scenario that can never fire, and effects that cannot apply; at most 100. */
  readonly warnings: readonly Issue[];
}

/** `file` is the name that issues show. */
export function* checkText(text: string, file: string): Steps<CheckedScenario> {
  const parsed = yield* parseInSteps(text, file);
  if (!parsed.ok) return { errors: parsed.issues, warnings: [] };
  yield;
  const warnings = findWarnings(parsed.scenario);
  yield;
  return { errors: [], warnings: yield* locateInSteps(text, file, warnings) };
}
