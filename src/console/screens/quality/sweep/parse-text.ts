/** Parses the text of a file with the checks of the command line. */
import { config } from 'zod/mini';
import type { ParsedSweep } from '../../../../sweep-report/parse.ts';

export async function parseText(text: string): Promise<ParsedSweep> {
  // The page's policy blocks compiled checks. They are chosen when a schema is created, which the import does.
  config({ jitless: true });
  const { parseSweepText } = await import('../../../../sweep-report/parse.ts');
  return parseSweepText(text);
}
