/** Reports the mistakes in templates and in texts with placeholders. */
import type { z } from 'zod';
import { didYouMean } from '../../../lib/nearest.ts';
import { findMistakes } from '../../../lib/template.ts';

/** Adds an issue for each placeholder that is unknown, and for each single brace. `at`: where the value is. */
export function addTemplateIssues(
  context: z.RefinementCtx,
  value: unknown,
  known: readonly string[],
  at: readonly string[] = [],
): void {
  for (const { path, kind, name } of findMistakes(value, known, at)) {
    const message =
      kind === 'unknown'
        ? `unknown placeholder {${name}}${didYouMean(name, known) || ','} known are ${known.map((one) => `{${one}}`).join(', ')}`
        : `expected a placeholder, such as {${known[0]}}; write ${name}${name} for the character ${name}`;
    context.addIssue({ code: 'custom', message, path: [...path] });
  }
}
