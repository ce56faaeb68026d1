/** The command `sample`: a valid, realistic body of an operation on stdout; knows nothing of how it is made. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { didYouMean } from '../base/nearest.ts';
import { type OperationId, operationIds } from '../operations/index.ts';
import { localeProblem } from '../sample/locale.ts';
import { parseNear } from '../sample/place.ts';
import { countProblem, createSample, type Sample } from '../sample/sample.ts';

/** The command's argument and options, as they were typed. */
export interface SampleInput {
  readonly operation: string;
  /** 1 where left out. */
  readonly count?: string | undefined;
  /** Any text; a fixed one where left out. */
  readonly seed?: string | undefined;
  /** One of faker's; Australian where left out. */
  readonly locale?: string | undefined;
  /** `LAT,LON`. */
  readonly near?: string | undefined;
}

const defaultSeed = 'sandbox';

// Indented, ten thousand jobs are more than the 16 MB that the API takes.
const mostIndented = 1000;

/**
 * Prints the body as JSON, ended by a newline: indented; or, where there are over 1,000 entries, one a line, each made when
 * the reader has taken those before it. The exit code: 0, or 2 where the input is wrong, which `err` is told.
 */
export async function runSample(input: SampleInput, out: Writable, err: (text: string) => void): Promise<number> {
  const { operation, count = '1', seed = defaultSeed, locale } = input;
  const near = input.near === undefined ? undefined : parseNear(input.near);
  const problem =
    toProblem(operation, count) ??
    (locale === undefined ? undefined : localeProblem(locale)) ??
    (typeof near === 'string' ? near : undefined);
  if (problem !== undefined || !isOperationId(operation) || typeof near === 'string') {
    err(`${problem}\n`);
    return 2;
  }
  const where = { ...(locale !== undefined && { locale }), ...(near && { near }) };
  const sample = await createSample(operation, { count: Number(count), seed, ...where });
  try {
    await pipeline(Readable.from(toPieces(sample, Number(count))), out, { end: false });
  } catch (error) {
    // Whoever read it has left, or it can't be written: the stream's owner tells of that.
    if ((error as NodeJS.ErrnoException).syscall !== 'write') throw error;
  }
  return 0;
}

function toProblem(operation: string, count: string): string | undefined {
  if (!isOperationId(operation))
    return `unknown operation ${JSON.stringify(operation)}${didYouMean(operation, operationIds)}`;
  return /^\d+$/.test(count)
    ? countProblem(operation, Number(count))
    : `count must be a whole number, got ${JSON.stringify(count)}`;
}

function* toPieces(sample: Sample, count: number): Generator<string> {
  if (sample.list === undefined) yield `${JSON.stringify(sample.record, null, 2)}\n`;
  else if (count <= mostIndented) yield `${JSON.stringify({ [sample.list]: [...sample.entries] }, null, 2)}\n`;
  else {
    let before = `{${JSON.stringify(sample.list)}: [\n`;
    for (const entry of sample.entries) {
      yield before + JSON.stringify(entry);
      before = ',\n';
    }
    yield '\n]}\n';
  }
}

function isOperationId(name: string): name is OperationId {
  return (operationIds as readonly string[]).includes(name);
}
