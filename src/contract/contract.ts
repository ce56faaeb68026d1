/** The one door to openapi-backend: compiles a document once, then routes requests and judges their shape by it. */
import type { ValidateFunction } from 'ajv';
import { _, Ajv2020, type KeywordCxt } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OpenAPIValidator, type ValidationContext } from 'openapi-backend';
import { isDeeperThan } from '../base/depth.ts';
import { isTimestamp } from '../base/time.ts';
import type { ApiDocument } from './document.ts';
import { itemsKeyword } from './items-keyword.ts';
import { CompiledRouter, type Match, type Params, type Query, type RoutedOperation } from './router.ts';
import { type Findings, freeFormKeyword, type Judgement, validate } from './validate.ts';

/** What of a request is judged; `body` is undefined where none is to be read. */
export interface RequestShape {
  readonly params: Params;
  readonly query: Query;
  readonly body?: unknown;
}

/** A compiled document. */
export interface Contract {
  readonly document: ApiDocument;
  readonly operations: ReadonlyMap<string, RoutedOperation>;
  /** Where `METHOD url` leads. */
  match(method: string, url: string): Match;
  /** All that is wrong with, or strange about, a request's parameters and body. */
  judge(operation: RoutedOperation, request: RequestShape, how: Judgement): Findings;
  /** What is wrong with an answer by the document, for tests: nothing where it is undefined. */
  checkAnswer(operationId: string, status: number, body: unknown): string | undefined;
}

/**
 * Compiles a document; an operation's validators are compiled when first used. `depth`: how many levels of objects and
 * lists may stand in each other.
 * @throws Error where openapi-backend finds no operation in it.
 */
export function createContract(document: ApiDocument, depth = 100): Contract {
  const router = new CompiledRouter(document);
  if (router.operations.size === 0) throw new Error('the OpenAPI document has no operation that can be routed');
  let made: Validator | undefined;
  const validator = (): Validator => {
    made ??= new Validator(router, depth);
    return made;
  };
  return {
    document,
    operations: router.operations,
    match: (method, url) => router.find(method, url),
    judge: (operation, request, how) => judge(validator(), operation, request, how),
    checkAnswer: (operationId, status, body) => checkAnswer(validator(), operationId, status, body),
  };
}

/** openapi-backend's validator, which makes an Ajv for each operation, with one for all of them. */
class Validator extends OpenAPIValidator {
  readonly #ajv: Ajv2020;
  readonly #coercing: Ajv2020;

  constructor(router: CompiledRouter, depth: number) {
    super({ definition: router.definition, router, lazyCompileValidators: true });
    this.#ajv = createAjv(false, depth);
    this.#coercing = createAjv(true, depth);
  }

  override getAjv(context: ValidationContext): Ajv2020 {
    return context === 'paramsValidator' ? this.#coercing : this.#ajv;
  }
}

function createAjv(coerceTypes: boolean, depth: number): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    passContext: true,
    verbose: true,
    strict: false,
    // What `1e999` is read as is no number that JSON could give back.
    strictNumbers: true,
    validateSchema: false,
    meta: false,
    logger: false,
    coerceTypes,
  });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addFormat('password', true);
  ajv.addFormat('date-time', isTimestamp);
  ajv.removeKeyword('items');
  ajv.addKeyword(itemsKeyword);
  ajv.addKeyword({
    keyword: freeFormKeyword,
    type: 'object',
    code: (cxt) => failWhere(cxt, isDeeperThan, depth - cxt.it.dataLevel + 1),
  });
  ajv.addKeyword({ keyword: 'x-longitude-first', type: 'array', code: (cxt) => failWhere(cxt, isOffEarth) });
  return ajv;
}

/**
 * A keyword that fails where a function says so. As generated code it costs the call alone, where a function given to
 * Ajv would have a context and a path made for it each time. Free-form values know their level because request bodies
 * are compiled as one piece.
 */
function failWhere(cxt: KeywordCxt, isWrong: (data: unknown, more: number) => boolean, more = 0): void {
  const check = cxt.gen.scopeValue('keyword', { ref: isWrong });
  cxt.fail(_`${check}(${cxt.data}, ${more})`);
}

/** The document's `x-longitude-first`: no position on earth, in that order. Other shapes are other keywords' concern. */
function isOffEarth(position: unknown): boolean {
  const [longitude, latitude] = position as readonly unknown[];
  if (typeof longitude !== 'number' || typeof latitude !== 'number') return false;
  return Math.abs(longitude) > 180 || Math.abs(latitude) > 90;
}

function judge(validator: Validator, operation: RoutedOperation, request: RequestShape, how: Judgement): Findings {
  const validators = validator.getRequestValidatorsForOperation(operation.id) ?? [];
  const parameters = toParameters(operation, request);
  const runs: (readonly [ValidateFunction, unknown])[] = [[validators.at(-1) as ValidateFunction, parameters]];
  if (validators.length > 1 && request.body !== undefined) {
    runs.push([validators[0] as ValidateFunction, { requestBody: request.body }]);
  }
  return validate(runs, how);
}

/** Path parameters as they stand in the path: those that a profile moved are judged as the query's. */
function toParameters({ moved }: RoutedOperation, { params, query }: RequestShape): unknown {
  if (!moved) return { path: params, query, header: {}, cookie: {} };
  const inQuery = new Set(Object.values(moved));
  const path = Object.fromEntries(Object.entries(params).filter(([name]) => !inQuery.has(name)));
  return { path, query, header: {}, cookie: {} };
}

function checkAnswer(validator: Validator, operationId: string, status: number, body: unknown): string | undefined {
  const operation = validator.router.getOperation(operationId);
  const response = operation?.responses?.[String(status)];
  if (!operation || !response) return `${operationId} declares no ${status}`;
  if (!('content' in response)) return body === undefined ? undefined : `${operationId} ${status} declares no body`;
  const { errors } = validator.validateResponse(body, operation, status);
  return errors ? errors.map((error) => `${error.instancePath} ${error.message}`).join('; ') : undefined;
}
