/** Reads JSON files, and explains what it cannot read. */
import { parseJson } from '../../client/send.ts';
import { findJsonMistake } from '../../http/json-mistakes.ts';
import { type ReadText, readTextFile } from '../../lib/text-file.ts';

/** The value of a file, or why there is none. */
export type ReadJson = { readonly value: unknown } | Exclude<ReadText, { readonly text: string }>;

export async function readJsonFile(file: string): Promise<ReadJson> {
  const read = await readTextFile(file);
  if ('reason' in read) return read;
  const value = parseJson(read.text);
  return value === undefined ? { reason: (await findJsonMistake(read.text)).reason } : { value };
}
