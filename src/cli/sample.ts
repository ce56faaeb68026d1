/** The command `sample`: prints a valid, realistic body of an operation. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Json } from '../lib/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import { bodySchema, resolve } from '../openapi/document.ts';
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
  /** A profile file: the body gets the identifiers that it places there. */
  readonly profile?: string | undefined;
  /** The project, if the profile places it in the body. */
  readonly project?: string | undefined;
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
  const identifiers = await readIdentifiers(operation, input);
  if ('mistakes' in identifiers) {
    printError(`${identifiers.mistakes.join('\n')}\n`);
    return 2;
  }
  const sample = await createSample(operation, { count: Number(count), seed, userType, ...location });
  try {
    await pipeline(Readable.from(formatPieces(sample, Number(count), identifiers.values)), out, { end: false });
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

/** Returns the identifiers that a profile places in the body, with the values of the document's example. */
async function readIdentifiers(
  operation: OperationId,
  { profile, project }: SampleInput,
): Promise<{ readonly values: Json } | { readonly mistakes: readonly string[] }> {
  if (profile === undefined) return { values: {} };
  const { ConfigError, readProfile } = await import('../config/config-files.ts');
  try {
    const { document } = await readProfile(profile);
    const { createContract } = await import('../openapi/contract.ts');
    const { identifiers, source } = createContract(document).operations.get(operation) ?? {};
    const { properties = {} } = resolve(document, bodySchema(source as unknown as Json) ?? {});
    const values = (identifiers?.body ?? []).map((name) => {
      const { examples } = (properties as Record<string, { readonly examples?: readonly unknown[] }>)[name] ?? {};
      return [name, (name === 'projectId' && project) || examples?.[0]];
    });
    return { values: Object.fromEntries(values) };
  } catch (error) {
    if (error instanceof ConfigError) return { mistakes: error.mistakes };
    throw error;
  }
}

function* formatPieces(sample: Sample, count: number, identifiers: Json): Generator<string> {
  if (sample.list === undefined) yield `${JSON.stringify({ ...identifiers, ...sample.record }, null, 2)}\n`;
  else if (count <= maxIndented) {
    yield `${JSON.stringify({ ...identifiers, [sample.list]: [...sample.entries] }, null, 2)}\n`;
  } else {
    const fields = Object.entries(identifiers).map(
      ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}, `,
    );
    let prefix = `{${fields.join('')}${JSON.stringify(sample.list)}: [\n`;
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
