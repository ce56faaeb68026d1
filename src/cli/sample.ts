/** The command `sample`: prints a valid, realistic body of an operation. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { didYouMean } from '../lib/nearest.ts';
import { type OperationId, operationIds } from '../operations/index.ts';
import { localeProblem } from '../samples/places/locale.ts';
import { parseNear } from '../samples/places/place.ts';
import { countProblem, createSample, type Sample, userTypes } from '../samples/sample.ts';

/** The command's argument and options, as text. */
export interface SampleInput {
  readonly operation: string;
  /** Number of entries; 1 by default. */
  readonly count?: string | undefined;
  /** Any text; `sandbox` by default. */
  readonly seed?: string | undefined;
  /** One of faker's locales; `en_AU` by default. */
  readonly locale?: string | undefined;
  /** `LAT,LON`. */
  readonly near?: string | undefined;
  /** `driver` or `attendant`, for registerUser; by default it depends on the seed. */
  readonly type?: string | undefined;
}

const defaultSeed = 'sandbox';

// Ten thousand indented jobs are larger than 16 MB, the maximum body size of the API.
const maxIndented = 1000;

/**
 * Prints the body as JSON with a final newline: indented, or one entry per line if there are more than 1,000 entries.
 * Long lists are created as the reader consumes them.
 * @returns 0, or 2 if the input is invalid
 */
export async function runSample(
  input: SampleInput,
  out: Writable,
  printError: (text: string) => void,
): Promise<number> {
  const { operation, count = '1', seed = defaultSeed, locale, type } = input;
  const near = input.near === undefined ? undefined : parseNear(input.near);
  const problem =
    findProblem(operation, count) ??
    findTypeProblem(operation, type) ??
    (locale === undefined ? undefined : localeProblem(locale)) ??
    (typeof near === 'string' ? near : undefined);
  const userType = userTypes.find((name) => name === type);
  if (problem !== undefined || !isOperationId(operation) || typeof near === 'string') {
    printError(`${problem}\n`);
    return 2;
  }
  const location = { ...(locale !== undefined && { locale }), ...(near && { near }) };
  const sample = await createSample(operation, { count: Number(count), seed, userType, ...location });
  try {
    await pipeline(Readable.from(formatPieces(sample, Number(count))), out, { end: false });
  } catch (error) {
    // The reader closed the stream, or a write failed: the owner of the stream reports that.
    if ((error as NodeJS.ErrnoException).syscall !== 'write') throw error;
  }
  return 0;
}

function findProblem(operation: string, count: string): string | undefined {
  if (!isOperationId(operation))
    return `unknown operation ${JSON.stringify(operation)}${didYouMean(operation, operationIds)}; available: ${operationIds.join(', ')}`;
  return /^\d+$/.test(count)
    ? countProblem(operation, Number(count))
    : `count must be a whole number, got ${JSON.stringify(count)}`;
}

function findTypeProblem(operation: string, type: string | undefined): string | undefined {
  if (type === undefined) return undefined;
  if (operation !== 'registerUser')
    return `type is only for registerUser; the bodies of ${operation} have no user type`;
  if (userTypes.some((name) => name === type)) return undefined;
  return `type must be driver or attendant, got ${JSON.stringify(type)}${didYouMean(type, userTypes)}`;
}

function* formatPieces(sample: Sample, count: number): Generator<string> {
  if (sample.list === undefined) yield `${JSON.stringify(sample.record, null, 2)}\n`;
  else if (count <= maxIndented) yield `${JSON.stringify({ [sample.list]: [...sample.entries] }, null, 2)}\n`;
  else {
    let prefix = `{${JSON.stringify(sample.list)}: [\n`;
    for (const entry of sample.entries) {
      yield prefix + JSON.stringify(entry);
      prefix = ',\n';
    }
    yield '\n]}\n';
  }
}

function isOperationId(name: string): name is OperationId {
  return (operationIds as readonly string[]).includes(name);
}
