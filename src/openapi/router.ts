/** Replaces openapi-backend's router: finds the operation and parameters of a request, with tables compiled once. */
import { parse } from 'node:querystring';
import { type Document, OpenAPIRouter, type Operation } from 'openapi-backend';
import type { Json } from '../lib/json.ts';
import { type ApiDocument, resolve } from './api-document.ts';
import { closeObjects } from './close-objects.ts';
import { addFromHead, type Identifiers, toIdentifiers } from './identify.ts';
import { identifiersKey } from './profile/move-identifiers.ts';
import type { MovedIdentifiers } from './profile/places.ts';

/**
 * Result of routing. `unknown` means status 404, `method` 405, and `encoding` a path that can't be decoded. `emptyId`
 * means that the path ends in "/" where an id belongs, as if by an unset variable.
 */
export type Match =
  | {
      readonly found: true;
      readonly operation: RoutedOperation;
      readonly params: Params;
      readonly query: Query;
      /** The header parameters of the document that the request has. */
      readonly headers?: Params | undefined;
    }
  | { readonly found: false; readonly why: 'unknown' | 'encoding' }
  | { readonly found: false; readonly why: 'method'; readonly allow: readonly string[] }
  | {
      readonly found: false;
      readonly why: 'emptyId';
      readonly withId: RoutedOperation;
      readonly withoutId: RoutedOperation;
    };

export type FoundMatch = Extract<Match, { found: true }>;

/** Path parameters by the document's names, including those that a profile moved out of the path. */
export type Params = Record<string, string>;
export type Query = Record<string, string | string[]>;

/** Also more names than Node's default, 1,000: an unknown one is rejected. */
const allNames = { maxKeys: 0 };

/** An operation, with the data that requests need precomputed. */
export interface RoutedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly source: Operation;
  /** Where its identifiers are, if a profile moved one out of the path. */
  readonly identifiers: Identifiers | undefined;
  /** Its header parameters that are not identifiers, such as those of an overlay, in lower case. */
  readonly headers: readonly string[];
}

interface Node {
  /** By decoded segments. */
  readonly fixed: Map<string, Node>;
  readonly open: { node: Node; name: string }[];
  readonly operations: Map<string, RoutedOperation>;
}

const createNode = (): Node => ({ fixed: new Map(), open: [], operations: new Map() });

/** Replaces openapi-backend's router, which compiles every path's regular expression again at each request. */
export class CompiledRouter extends OpenAPIRouter {
  readonly operations: ReadonlyMap<string, RoutedOperation>;
  readonly #root: Node = createNode();
  readonly #flat: Operation[];
  readonly #closed = new Map<string, Operation>();

  constructor(document: ApiDocument) {
    super({ definition: document as unknown as Document, ignoreTrailingSlashes: true, apiRoot: '/' });
    this.#flat = super.getOperations() as Operation[];
    const operations = this.#flat.map((source) => toRouted(source, document));
    for (const operation of operations) this.#add(operation);
    this.operations = new Map(operations.map((operation) => [operation.id, operation]));
  }

  override getOperations(): Operation[] {
    return this.#flat;
  }

  /** Returns the operation to compile, with closed objects; creates it at its first use, to keep the start fast. */
  override getOperation(operationId: string): Operation | undefined {
    const existing = this.#closed.get(operationId);
    const source = this.operations.get(operationId)?.source;
    if (existing || !source) return existing;
    const document = this.definition as unknown as ApiDocument;
    // The client validates callbacks, not the server.
    const { callbacks: _, ...operation } = source;
    const closed: Operation = closeObjects(operation, document);
    this.#closed.set(operationId, closed);
    return closed;
  }

  /** Finds the operation for a method and a URL with its query. Treats HEAD as GET (RFC 9110, 9.3.2). */
  find(requestMethod: string, url: string, headers: NodeJS.Dict<string | string[]> = {}): Match {
    const method = requestMethod === 'HEAD' ? 'GET' : requestMethod;
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const segments = path.split('/');
    const { length } = segments;
    while (segments.length > 1 && segments.at(-1) === '') segments.pop();
    const values: string[] = [];
    const names: string[] = [];
    const query = queryStart < 0 ? {} : (parse(url.slice(queryStart + 1), '&', '=', allNames) as Query);
    const operation = search(this.#root, segments, 1, method, names, values);
    if (!operation) return this.#reject(segments, method);
    const emptyId = segments.length < length ? this.#findEmptyId(segments, operation) : undefined;
    if (emptyId) return emptyId;
    const params: Params = {};
    for (let i = 0; i < names.length; i += 1) {
      const value = decode(values[i] as string);
      if (value === undefined) return { found: false, why: 'encoding' };
      params[names[i] as string] = value;
    }
    if (operation.identifiers) addFromHead(params, operation.identifiers, query, headers);
    return { found: true, operation, params, query, headers: pickTexts(headers, operation.headers) };
  }

  /** Returns whether a path without its last "/" also leads to an operation on a single record. A list may end in "/". */
  #findEmptyId(segments: readonly string[], withoutId: RoutedOperation): Match | undefined {
    if (withoutId.method === 'GET' || withoutId.path.endsWith('/')) return undefined;
    const withId = search(this.#root, [...segments, anyId], 1, withoutId.method, [], []);
    return withId && /\}\/*$/.test(withId.path) ? { found: false, why: 'emptyId', withId, withoutId } : undefined;
  }

  #reject(segments: readonly string[], method: string): Match {
    const allow = new Set<string>();
    search(this.#root, segments, 1, method, [], [], allow);
    if (allow.has('GET')) allow.add('HEAD');
    return allow.size > 0 ? { found: false, why: 'method', allow: [...allow] } : notFound;
  }

  #add(operation: RoutedOperation): void {
    let node = this.#root;
    const segments = operation.path.replace(/\/+$/, '').split('/').slice(1);
    for (const segment of segments) node = step(node, segment);
    node.operations.set(operation.method, operation);
  }
}

/** Stands for an id, to find the operation that needs one. No fixed segment has this text. */
const anyId = '{id}';

const notFound: Match = { found: false, why: 'unknown' };

function toRouted(source: Operation, document: ApiDocument): RoutedOperation {
  const moved = (source as unknown as Json)[identifiersKey] as MovedIdentifiers | undefined;
  const identifiers = toIdentifiers(source.path, moved);
  const parameters = (source.parameters ?? []).map((parameter) => resolve(document, parameter as unknown as Json));
  const headers = parameters.filter((one) => one['in'] === 'header').map((one) => String(one['name']).toLowerCase());
  return {
    id: String(source.operationId),
    method: source.method.toUpperCase(),
    path: source.path,
    source,
    identifiers,
    headers: headers.filter((name) => !identifiers?.header.some(([outer]) => outer === name)),
  };
}

/** Returns the headers of these names, or undefined if there are none. */
function pickTexts(headers: NodeJS.Dict<string | string[]>, names: readonly string[]): Params | undefined {
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

function step(node: Node, segment: string): Node {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name === undefined) {
    const text = decode(segment) ?? segment;
    const next = node.fixed.get(text) ?? createNode();
    node.fixed.set(text, next);
    return next;
  }
  const same = node.open.find((open) => open.name === name);
  if (same) return same.node;
  const next = createNode();
  node.open.push({ node: next, name });
  return next;
}

/**
 * Finds an operation, with backtracking; fixed segments win over parameters. `allow` collects the methods of the path.
 */
function search(
  node: Node,
  segments: readonly string[],
  at: number,
  method: string,
  names: string[],
  values: string[],
  allow?: Set<string>,
): RoutedOperation | undefined {
  if (at === segments.length) {
    const found = node.operations.get(method);
    if (!found && allow) for (const other of node.operations.keys()) allow.add(other);
    return found;
  }
  const segment = segments[at] as string;
  const fixed = node.fixed.get(decode(segment) ?? segment);
  const found = fixed && search(fixed, segments, at + 1, method, names, values, allow);
  if (found || segment === '') return found;
  for (const open of node.open) {
    names.push(open.name);
    values.push(segment);
    const inner = search(open.node, segments, at + 1, method, names, values, allow);
    if (inner) return inner;
    names.pop();
    values.pop();
  }
  return undefined;
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
