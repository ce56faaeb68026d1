/** The command `sample`: a valid, realistic body of an operation on stdout; knows nothing of how it is made. */
import type { Json } from '../base/json.ts';
import { didYouMean } from '../base/nearest.ts';
import { type OperationId, operationIds } from '../operations/index.ts';
import { countProblem, sampleBody } from '../sample/sample.ts';

/** The command's argument and options, as they were typed. */
export interface SampleInput {
  readonly operation: string;
  /** 1 where left out. */
  readonly count: string | undefined;
  /** Any text; a fixed one where left out. */
  readonly seed: string | undefined;
}

const defaultSeed = 'sandbox';

// Indented, ten thousand jobs are more than the 16 MB that the API takes.
const mostIndented = 1000;

/**
 * Prints the body as JSON, ended by a newline: indented, or one entry a line where there are over 1,000.
 * The exit code: 0, or 2 where the input is wrong, which `err` is told.
 */
export async function runSample(
  { operation, count = '1', seed = defaultSeed }: SampleInput,
  out: (text: string) => void,
  err: (text: string) => void,
): Promise<number> {
  if (!isOperationId(operation)) {
    err(`unknown operation ${JSON.stringify(operation)}${didYouMean(operation, operationIds)}\n`);
    return 2;
  }
  const problem = /^\d+$/.test(count)
    ? countProblem(operation, Number(count))
    : `count must be a whole number, got ${JSON.stringify(count)}`;
  if (problem !== undefined) {
    err(`${problem}\n`);
    return 2;
  }
  const body = await sampleBody(operation, { count: Number(count), seed });
  out(Number(count) > mostIndented ? toLines(body) : `${JSON.stringify(body, null, 2)}\n`);
  return 0;
}

/** A body that holds a list, one entry a line. */
function toLines(body: Json): string {
  const lists = Object.entries(body).map(([name, entries]) => {
    const lines = (entries as readonly unknown[]).map((entry) => JSON.stringify(entry));
    return `${JSON.stringify(name)}: [\n${lines.join(',\n')}\n]`;
  });
  return `{${lists.join(',')}}\n`;
}

function isOperationId(name: string): name is OperationId {
  return (operationIds as readonly string[]).includes(name);
}
