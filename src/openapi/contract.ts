/** Compiles an OpenAPI document once, then routes and validates requests by it. The only user of openapi-backend. */
import { createHash } from 'node:crypto';
import type { ValidateFunction } from 'ajv';
import { _, Ajv2020, type KeywordCxt } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OpenAPIValidator, type Operation, type ValidationContext } from 'openapi-backend';
import { isDeeperThan } from '../lib/depth.ts';
import { durationPattern, parseDuration } from '../lib/duration.ts';
import { isTimestamp, isTimestampOrDate, isUnusualTimestamp } from '../lib/time.ts';
import type { ApiDocument } from './api-document.ts';
import { dateAllowed } from './close-objects.ts';
import { toPlacedParameters } from './identify.ts';
import { itemsKeyword } from './items-keyword.ts';
import { isLanguageCode } from './language-codes.ts';
import { toExpression } from './pattern.ts';
import { CompiledRouter, type Match, type Params, type Query, type RoutedOperation } from './router.ts';
import { type Findings, freeFormKeyword, type ValidateOptions, type ValidationRun, validate } from './validate.ts';

/** The parts of a request to validate; `body` is undefined if the operation has no body. */
export interface RequestShape {
  readonly params: Params;
  readonly query: Query;
  /** Header parameters that are not identifiers. */
  readonly headers?: Params | undefined;
  readonly body?: unknown;
}

/** A compiled document. */
export interface Contract {
  readonly document: ApiDocument;
  readonly operations: ReadonlyMap<string, RoutedOperation>;
  /** Finds the operation for a method and URL. `headers`: lower-case names, for identifiers in them. */
  match(method: string, url: string, headers?: NodeJS.Dict<string | string[]>): Match;
  /** Validates a request's parameters and body. Returns all mistakes and warnings. */
  validate(operation: RoutedOperation, request: RequestShape, options: ValidateOptions): Findings;
}

/**
 * Compiles a document; an operation's validators are compiled at their first use. `depth`: maximum levels of nested
 * objects and lists.
 * @throws Error if openapi-backend finds no operation in it
 */
export function createContract(document: ApiDocument, depth = 100): Contract {
  const router = new CompiledRouter(document);
  if (router.operations.size === 0) throw new Error('the OpenAPI document has no operation that can be routed');
  let created: Validator | undefined;
  const validator = (): Validator => (created ??= new Validator(router, depth));
  return {
    document,
    operations: router.operations,
    match: (method, url, headers) => router.find(method, url, headers),
    validate: (operation, request, options) => validate(toRuns(validator(), operation, request), options),
  };
}

type RequestValidators = ReturnType<OpenAPIValidator['buildRequestValidatorsForOperation']>;

/**
 * Compiled validators by operation and depth, the oldest first. All sandboxes of a process share them, because compiling
 * takes most of the start of a second one; they have no state of a sandbox.
 */
const compiled = new Map<string, RequestValidators>();

/** openapi-backend's validator, with one Ajv instance for all operations instead of one for each. */
class Validator extends OpenAPIValidator {
  readonly #depth: number;
  #ajv: Ajv2020 | undefined;
  #coercing: Ajv2020 | undefined;

  constructor(router: CompiledRouter, depth: number) {
    super({ definition: router.definition, router, lazyCompileValidators: true });
    this.#depth = depth;
  }

  override buildRequestValidatorsForOperation(operation: Operation): RequestValidators {
    const text = `${this.#depth} ${JSON.stringify(operation)}`;
    const key = createHash('sha256').update(text).digest('base64');
    const validators = compiled.get(key) ?? super.buildRequestValidatorsForOperation(operation);
    compiled.delete(key);
    compiled.set(key, validators);
    const [oldest] = compiled.keys();
    if (compiled.size > 300 && oldest !== undefined) compiled.delete(oldest);
    return validators;
  }

  override getAjv(context: ValidationContext): Ajv2020 {
    this.#ajv ??= createAjv(false, this.#depth);
    this.#coercing ??= createAjv('array', this.#depth);
    return context === 'paramsValidator' ? this.#coercing : this.#ajv;
  }
}

/** Creates a validator with the keywords and formats of the document. */
export function createAjv(coerceTypes: false | 'array', depth: number): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    passContext: true,
    verbose: true,
    strict: false,
    // JSON.parse reads `1e999` as Infinity, which JSON can't represent.
    strictNumbers: true,
    validateSchema: false,
    meta: false,
    logger: false,
    coerceTypes,
    code: { regExp: toExpression },
  });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addFormat('password', true);
  ajv.addFormat('date-time', isTimestamp);
  ajv.addFormat(dateAllowed, isTimestampOrDate);
  ajv.removeKeyword('items');
  ajv.addKeyword(itemsKeyword);
  ajv.addKeyword({
    keyword: freeFormKeyword,
    type: 'object',
    code: (cxt) => failWhere(cxt, isDeeperThan, depth - cxt.it.dataLevel + 1),
  });
  ajv.addKeyword({
    keyword: 'x-timestamp',
    type: 'string',
    code: (cxt) => failWhere(cxt, isUnusual, cxt.schema === dateAllowed ? 1 : 0),
  });
  ajv.addKeyword({
    keyword: 'x-language-code',
    type: 'string',
    code: (cxt) => failWhere(cxt, (text) => !isLanguageCode(text as string)),
  });
  ajv.addKeyword({ keyword: 'x-not-empty', type: 'string', code: (cxt) => failWhere(cxt, (text) => text === '') });
  ajv.addKeyword({ keyword: 'x-duration', type: 'string', code: (cxt) => failWhere(cxt, isTooLong) });
  ajv.addKeyword({ keyword: 'x-longitude-first', type: 'array', code: (cxt) => failWhere(cxt, isOffEarth) });
  return ajv;
}

/**
 * Adds a check to a keyword, which fails if the function returns true. Generated code costs only the call; for a
 * function passed to Ajv, it would create a context and a path at each call. The level of free-form values is known
 * because request bodies are compiled as one piece.
 */
function failWhere(cxt: KeywordCxt, isWrong: (data: unknown, more: number) => boolean, more = 0): void {
  const check = cxt.gen.scopeValue('keyword', { ref: isWrong });
  cxt.fail(_`${check}(${cxt.data}, ${more})`);
}

/** Checks the document's `x-longitude-first`: the position is out of range. Other keywords check its shape. */
function isOffEarth(position: unknown): boolean {
  const [longitude, latitude] = position as readonly unknown[];
  if (typeof longitude !== 'number' || typeof latitude !== 'number') return false;
  return Math.abs(longitude) > 180 || Math.abs(latitude) > 90;
}

/** Checks the document's `x-duration`: the text is a duration above the maximum. Its pattern checks the syntax. */
function isTooLong(text: unknown): boolean {
  return durationPattern.test(text as string) && parseDuration(text as string) === undefined;
}

/** Checks the document's `x-timestamp`: the text is valid, but not in the usual form. */
function isUnusual(text: unknown, allowsDate: number): boolean {
  const isValid = allowsDate === 1 ? isTimestampOrDate : isTimestamp;
  return isUnusualTimestamp(text as string) && isValid(text as string);
}

/** Returns the validators of an operation, each with the value to validate. */
function toRuns(validator: Validator, operation: RoutedOperation, request: RequestShape): readonly ValidationRun[] {
  const validators = validator.getRequestValidatorsForOperation(operation.id) ?? [];
  const parameters = toParameters(operation, request);
  const runs: ValidationRun[] = [[validators.at(-1) as ValidateFunction, parameters]];
  if (validators.length > 1 && request.body !== undefined) {
    runs.push([validators[0] as ValidateFunction, { requestBody: request.body }]);
  }
  return runs;
}

/** Returns the parameters to validate, each in the place where the request has it. */
function toParameters({ identifiers }: RoutedOperation, { params, query, headers = {} }: RequestShape): unknown {
  // Ajv converts values in place.
  if (!identifiers) return { path: { ...params }, query, header: { ...headers }, cookie: {} };
  const { path, header } = toPlacedParameters(identifiers, params);
  return { path, query, header: { ...headers, ...header }, cookie: {} };
}
