/** openapi-backend's router with its tables compiled once: finds the operation and parameters of a method and path. */
import { type Document, OpenAPIRouter, type Operation } from 'openapi-backend';
import type { Json } from '../base/json.ts';
import { type ApiDocument, withUnknownFieldsFound } from './document.ts';

/** Where a request leads. `unknown` and `method` are a 404 and a 405; `encoding` a path that can't be decoded. */
export type Match =
  | { readonly found: true; readonly operation: RoutedOperation; readonly params: Params; readonly query: Query }
  | { readonly found: false; readonly why: 'unknown' | 'encoding' }
  | { readonly found: false; readonly why: 'method'; readonly allow: readonly string[] };

/** Path parameters by the document's names, wherever a profile has moved them. */
export type Params = Record<string, string>;
export type Query = Record<string, string | string[]>;

/** One operation, with what a request needs of it looked up beforehand. */
export interface RoutedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly source: Operation;
  /** Query names outside → parameter names inside, where a profile moved parameters into the query. */
  readonly moved: Readonly<Record<string, string>> | undefined;
}

interface Node {
  readonly fixed: Map<string, Node>;
  readonly open: { node: Node; name: string }[];
  readonly operations: Map<string, RoutedOperation>;
}

const createNode = (): Node => ({ fixed: new Map(), open: [], operations: new Map() });

/** Takes the place of openapi-backend's own router, which compiles every path's expression anew at each request. */
export class CompiledRouter extends OpenAPIRouter {
  readonly operations: ReadonlyMap<string, RoutedOperation>;
  readonly #root: Node = createNode();
  readonly #flat: Operation[];
  readonly #closed = new Map<string, Operation>();

  constructor(document: ApiDocument) {
    super({ definition: document as unknown as Document, ignoreTrailingSlashes: true, apiRoot: '/' });
    this.#flat = super.getOperations() as Operation[];
    const operations = this.#flat.map(toRouted);
    for (const operation of operations) this.#add(operation);
    this.operations = new Map(operations.map((operation) => [operation.id, operation]));
  }

  override getOperations(): Operation[] {
    return this.#flat;
  }

  /** The operation as it is to be compiled, made when first asked for: a start need not look into any. */
  override getOperation(operationId: string): Operation | undefined {
    const known = this.#closed.get(operationId);
    const source = this.operations.get(operationId)?.source;
    if (known || !source) return known;
    const document = this.definition as unknown as ApiDocument;
    const closed = withUnknownFieldsFound(source as unknown as Json, document) as unknown as Operation;
    this.#closed.set(operationId, closed);
    return closed;
  }

  /** Where `METHOD url` leads; the url is as it came, with its query. */
  find(method: string, url: string): Match {
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const segments = path.split('/');
    while (segments.length > 1 && segments.at(-1) === '') segments.pop();
    const values: string[] = [];
    const names: string[] = [];
    const query = mark < 0 ? {} : parseQuery(url.slice(mark + 1));
    const operation = search(this.#root, segments, 1, method, names, values);
    if (!operation) return this.#refuse(segments, method);
    const params: Params = {};
    for (let i = 0; i < names.length; i += 1) {
      const value = decode(values[i] as string);
      if (value === undefined) return { found: false, why: 'encoding' };
      params[names[i] as string] = value;
    }
    for (const outer in operation.moved) {
      const value = query[outer];
      if (typeof value === 'string') params[operation.moved[outer] as string] = value;
    }
    return { found: true, operation, params, query };
  }

  #refuse(segments: readonly string[], method: string): Match {
    const allow = new Set<string>();
    search(this.#root, segments, 1, method, [], [], allow);
    return allow.size > 0 ? { found: false, why: 'method', allow: [...allow] } : notFound;
  }

  #add(operation: RoutedOperation): void {
    let node = this.#root;
    for (const segment of operation.path.split('/').slice(1)) node = step(node, segment);
    node.operations.set(operation.method, operation);
  }
}

const notFound: Match = { found: false, why: 'unknown' };

function toRouted(source: Operation): RoutedOperation {
  const names = (source as unknown as Json)['x-sandbox-query'] as Record<string, string> | undefined;
  const moved = names && Object.fromEntries(Object.entries(names).map(([inner, outer]) => [outer, inner]));
  return { id: String(source.operationId), method: source.method.toUpperCase(), path: source.path, source, moved };
}

function step(node: Node, segment: string): Node {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name === undefined) {
    const next = node.fixed.get(segment) ?? createNode();
    node.fixed.set(segment, next);
    return next;
  }
  const same = node.open.find((open) => open.name === name);
  if (same) return same.node;
  const next = createNode();
  node.open.push({ node: next, name });
  return next;
}

/** Fixed segments win over parameters; a dead end is left again. `allow` gathers the methods that there are. */
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
  const fixed = node.fixed.get(segment);
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

function parseQuery(text: string): Query {
  const query: Query = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(query, name) ? query[name] : undefined;
    const all = before === undefined ? value : [before, value].flat();
    Object.defineProperty(query, name, { value: all, enumerable: true, writable: true, configurable: true });
  }
  return query;
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
