/** Parses the JSON file of a sweep. */
import { z } from 'zod';
import { checkValue, type Finding } from '../diagnostics/schema-issue.ts';
import { readTextFile } from '../lib/text-file.ts';
import type { SweepReport } from './report.ts';
import { verdictNames } from './verdicts.ts';

const count = z.int().min(0);
const text = z.string();
const optionalText = text.optional();

const schema: z.ZodType<SweepReport> = z.object({
  baseline: z.object({
    requests: count,
    durationMs: z.number(),
    operations: z.record(text, count),
    callbacks: z.optional(z.record(text, count)),
  }),
  cases: z.array(
    z.object({
      case: text,
      operation: text,
      kind: text,
      occurrence: z.nullable(z.number()),
      always: z.boolean(),
      expects: z.enum(['recovery', 'report']),
      verdict: z.enum(verdictNames),
      detail: text,
      found: optionalText,
      error: optionalText,
      exitCode: z.nullable(z.number()),
      requests: count,
      durationMs: z.number(),
      sameAs: optionalText,
      scenario: optionalText,
      recordings: z.optional(z.array(text)),
      output: optionalText,
    }),
  ),
  summary: z.partialRecord(z.enum(verdictNames), count),
  notTried: count,
  omitted: z.optional(z.array(z.object({ what: text, why: text }))),
});

/** Maximum number of mistakes. The last line counts the others. */
const maxMistakes = 20;

/** Either a report, or its mistakes, such as `cases[3].verdict: expected one of …, got "lost"`. */
export type ParsedSweep = { readonly report: SweepReport } | { readonly mistakes: readonly string[] };

/** Reads and checks a file. */
export async function readSweepFile(file: string): Promise<ParsedSweep> {
  const read = await readTextFile(file);
  return 'text' in read ? parseSweepText(read.text) : { mistakes: [read.reason] };
}

/** Parses and checks the text of a file. Ignores unknown keys, which a later version may have added. */
function parseSweepText(text: string): ParsedSweep {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { mistakes: ['expected the JSON that `field-sandbox sweep --json FILE` writes; this is not JSON'] };
  }
  const checked = checkValue(value, schema);
  if ('value' in checked) return { report: checked.value };
  const mistakes = checked.findings.map(toMistake);
  const more = mistakes.length - maxMistakes;
  return { mistakes: [...mistakes.slice(0, maxMistakes), ...(more > 0 ? [`and ${more} more`] : [])] };
}

function toMistake({ path, message }: Finding): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${place.replace(/^\./, '') || 'the report'}: ${message}`;
}
