/** Finds the line of a command's output that says best why it failed. */
import { stripVTControlCharacters } from 'node:util';
import { withoutControls } from '../../../diagnostics/line-excerpt.ts';

/** Maximum length of a quoted line, in characters. */
const maxQuote = 160;

/**
 * Lines about a failure, the surest first. Each takes linear time, whatever the output. Test runners print words such as
 * `FAIL` with a name before the error itself.
 */
const patterns: readonly RegExp[] = [
  /(Error|Exception)\b(\s*\[[^\][]*\])?:\s|\b(error|panic|fatal)(\[\w+\])?: /,
  /\b(error|fail(s|ed|ure)?|panicked|fatal|exception|panic|refused|rejected|denied|time(d)?[ -]?out|unable|cannot|could not|not ok)\b|[✖✗×]/i,
  /\b(expected|unexpected|assert(ion)?|mismatch|missing|not found|no such|invalid|wrong|lost|got)\b/i,
];

/** The beginning of a text that YAML, as in TAP, puts on the next lines. */
const yamlBlock = /^([^\S\n]*\w+): [|>][-+]?\n\s*/gm;

/** Returns the lines of an output that no run without a failure printed, whatever the numbers in them. */
export function toOwnLines(output: string, baselineOutputs: readonly string[]): readonly string[] {
  const usual = new Set(baselineOutputs.flatMap((text) => text.split('\n').map(withoutNumbers)));
  return output.split('\n').filter((line) => !usual.has(withoutNumbers(line)));
}

/** Returns the first line that reads like an error. If the command `failed`, returns its last line if there is none. */
export function findErrorLine(output: string, baselineOutputs: readonly string[], failed: boolean): string | undefined {
  const text = stripVTControlCharacters(output).replace(yamlBlock, '$1: ');
  const lines = toOwnLines(text, baselineOutputs).filter((line) => line.trim() !== '');
  const found = patterns.map((pattern) => lines.find((line) => pattern.test(line))).find((line) => line !== undefined);
  return toQuote(found ?? (failed ? lines.at(-1) : undefined));
}

/** Cuts a long line between words: what follows may be a name. */
export function toQuote(line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  const text = withoutControls(line.trim());
  const end = text.lastIndexOf(' ', maxQuote);
  return text.length <= maxQuote ? text : `${text.slice(0, end > 0 ? end : maxQuote)} …`;
}

/** Lines about times and sizes differ from run to run. */
function withoutNumbers(line: string): string {
  return line.replace(/\d+/g, '0').trim();
}
