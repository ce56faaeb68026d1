/** The command `sample`: prints a valid, realistic body of an operation. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '../config/config-error.ts';
import { escapeControls } from '../diagnostics/line-excerpt.ts';
import type { Json } from '../lib/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Violation } from '../lib/problem.ts';
import { bodySchema, resolve } from '../openapi/api-document.ts';
import type { Contract } from '../openapi/contract.ts';
import { type OperationId, operationIds } from '../operations/index.ts';
import { localeProblem, parseNear } from '../samples/places/place.ts';
import { countProblem, createSample, type Sample, userTypes } from '../samples/sample.ts';
import { type Io, writeAll } from './frame/io.ts';

/** The command's argument and options, as text. */
export interface SampleInput {
  readonly operation: string | undefined;
  /** Prints the operations in place of a body. */
  readonly list?: boolean;
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
  /** A profile file: the body is valid with it, and has the identifiers that it places there. */
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
 * @returns 0. @throws ConfigError if the input is invalid
 */
export async function runSample(input: SampleInput, { stdout: out }: Pick<Io, 'stdout'>): Promise<number> {
  const { operation = '', count = '1', seed = defaultSeed, locale, type } = input;
  if (input.list) {
    if (operation !== '')
      throw new ConfigError([`--list: lists all operations; remove ${operation}, or --list for its body`]);
    await writeAll(out, operationIds.map((id) => `${id}\n`).join(''));
    return 0;
  }
  const near = input.near === undefined ? undefined : parseNear(input.near);
  const problems = [
    findProblem(operation, count),
    isOperationId(operation) ? findTypeProblem(operation, type) : undefined,
    locale === undefined ? undefined : localeProblem(locale),
    typeof near === 'string' ? near : undefined,
  ].filter((problem) => problem !== undefined);
  const userType = userTypes.find((name) => name === type);
  if (problems.length > 0 || !isOperationId(operation) || typeof near === 'string') throw new ConfigError(problems);
  const location = { ...(locale !== undefined && { locale }), ...(near && { near }) };
  const created = await createSample(operation, { count: Number(count), seed, userType, ...location });
  const setting = await readSetting(operation, input);
  const sample = setting.contract
    ? await fitSample(operation, created, setting.identifiers, setting.contract)
    : created;
  try {
    const pieces = Readable.from(formatPieces(sample, Number(count), setting.identifiers)).map(escapeControls);
    await pipeline(pieces, out, { end: false });
  } catch (error) {
    // The reader closed the stream, or a write failed: the owner of the stream reports that.
    if ((error as NodeJS.ErrnoException).syscall !== 'write') throw error;
  }
  return 0;
}

function findProblem(operation: string, count: string): string | undefined {
  if (operation === '') return 'expected an operation, such as asyncImportJobs; field-sandbox sample --list lists them';
  if (!isOperationId(operation))
    return `unknown operation ${JSON.stringify(operation)}${didYouMean(operation, operationIds)}; field-sandbox sample --list lists them`;
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

/** What a profile changes about the body: its identifiers, with the values of the document's example, and the document. */
interface Setting {
  readonly identifiers: Json;
  readonly contract?: Contract;
}

async function readSetting(operation: OperationId, { profile, project }: SampleInput): Promise<Setting> {
  if (profile === undefined) return { identifiers: {} };
  const { readProfile } = await import('../config/config-files.ts');
  const { createContract } = await import('../openapi/contract.ts');
  const { document } = await readProfile(profile);
  const contract = createContract(document);
  const { identifiers, source } = contract.operations.get(operation) ?? {};
  const { properties = {} } = resolve(document, bodySchema(source as unknown as Json) ?? {});
  const values = (identifiers?.body ?? []).map(([outer, name]) => {
    const { examples } = (properties as Record<string, { readonly examples?: readonly unknown[] }>)[outer] ?? {};
    return [outer, (name === 'projectId' && project) || examples?.[0]];
  });
  return { identifiers: Object.fromEntries(values), contract };
}

/** Fits a sample to the document of the profile, entry by entry. @throws ConfigError if this is not possible */
async function fitSample(
  operation: OperationId,
  sample: Sample,
  identifiers: Json,
  contract: Contract,
): Promise<Sample> {
  const { createFitting } = await import('../samples/fit.ts');
  const makeValid = createFitting(contract, operation);
  const correct = (body: Json): void => {
    const violation = makeValid(body);
    if (violation) throw new ConfigError([toMistake(operation, violation)]);
  };
  if (sample.list === undefined) {
    const record = { ...identifiers, ...sample.record };
    correct(record);
    return { list: undefined, record };
  }
  const { list } = sample;
  const entries = [...sample.entries];
  for (const entry of entries) correct({ ...identifiers, [list]: [entry] });
  return { list, entries };
}

function toMistake(operation: OperationId, { path, message }: Violation): string {
  return `cannot create a valid body of ${operation} with this profile: ${path}: ${message}. Give this field an example, a default or an enum in an overlay, or write the body by hand`;
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
