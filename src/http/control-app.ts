/**
 * The Express application under /_sandbox: serves the console's files, which the build creates, and the control API.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import type { WallClock } from '../lib/time.ts';
import type { Reply } from './reply.ts';
import { disconnectIdleReader, send } from './write-response.ts';

export interface ControlAppParts {
  /** Prototypes of the server's requests and responses. */
  readonly prototypes: { readonly request: object; readonly response: object };
  /** Handles all requests that are not for a file of the console. */
  readonly answer: RequestListener;
  /** Handles requests for which a file of the console can't be sent. */
  answerBug(error: unknown): RequestListener;
  /** URL template of the tiles of the console's map; undefined if the map has none. */
  readonly mapTiles: string | undefined;
  readonly wall: WallClock;
}

/** The console's files: next to the built server, or in `dist` if the server runs from its sources. */
const folder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : './console/', import.meta.url),
);

/** Headers of range and conditional requests, which are served from the uncompressed file. */
const conditions = ['range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since'] as const;

/** Files that get smaller; images are compressed already. */
const compressible = /\.(js|css|svg|json)$/;

const notBuilt: Reply = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: 'The console is not built. Run: npm run build\n',
};

export function createControlApp({ prototypes, answer, answerBug, mapTiles, wall }: ControlAppParts): Express {
  const app = express();
  app.disable('x-powered-by').enable('strict routing');
  adoptPrototypes(app, prototypes);
  const reply =
    (value: Reply): RequestListener =>
    (_request, response) =>
      send(response, value, wall);
  const safe = toSafeHeaders(mapTiles);
  const serve = (from: string, caching: string): RequestHandler =>
    express.static(path.join(folder, from), {
      redirect: false,
      cacheControl: false,
      setHeaders: (response, _file, { size }) => {
        response.setHeaders(new Map([...safe, ['cache-control', caching]]));
        disconnectIdleReader(response, size, wall);
      },
    });
  app.get('/_sandbox', reply({ status: 302, headers: { location: '/_sandbox/' }, body: undefined }));
  // The names of assets change with their content.
  const forever = 'public, max-age=31536000, immutable';
  app.use('/_sandbox/assets', serveCompressed(new Map([...safe, ['cache-control', forever]]), wall));
  app.use('/_sandbox/assets', serve('assets', forever));
  const page = serve('.', 'no-cache');
  app.get('/_sandbox/', (request, response, next) => {
    request.url = '/';
    page(request, response, next);
  });
  app.get('/_sandbox/', reply(notBuilt));
  app.use(answer);
  // Express treats a function with four parameters as an error handler. Its default one would respond with a page.
  const handleError: ErrorRequestHandler = (error, request, response, next) => {
    const { status, headers = {} } = error as { status?: number; headers?: Reply['headers'] };
    if (response.headersSent) next(error);
    // The client's conditions on a file do not hold, or it has no such range.
    else if (status === 412 || status === 416) reply({ status, headers, body: undefined })(request, response);
    else answerBug(error)(request, response);
  };
  app.use(handleError);
  return app;
}

/** Sends a compressed asset if the client accepts that; otherwise calls the next handler, which sends the file. */
function serveCompressed(headers: ReadonlyMap<string, string>, wall: WallClock): RequestHandler {
  const assets = path.join(folder, 'assets');
  const names = new Set(existsSync(assets) ? readdirSync(assets).filter((name) => compressible.test(name)) : []);
  return async (request, response, next) => {
    response.setHeader('vary', 'accept-encoding');
    const name = request.path.slice(1);
    const isWhole = conditions.every((condition) => request.headers[condition] === undefined);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !isWhole || !names.has(name)) return next();
    // Browsers keep an asset, so it is compressed once for each of them.
    const body = await readFile(path.join(assets, name), 'utf8').catch(() => undefined);
    const file: Reply = { status: 200, headers: Object.fromEntries(headers), body };
    const reply = await compressReply(file, request);
    if (!reply.compressed) return next();
    response.type(path.extname(name));
    void send(response, reply, wall);
  };
}

/**
 * Makes the server's prototypes equal to those of Express. Express replaces the prototype of every request and
 * response, which makes V8 drop its optimisations; with equal prototypes, the replacement changes nothing.
 */
function adoptPrototypes(app: Express, { request, response }: ControlAppParts['prototypes']): void {
  const own = { app: { configurable: true, enumerable: true, writable: true, value: app } };
  Object.defineProperties(request, { ...Object.getOwnPropertyDescriptors(express.request), ...own });
  Object.defineProperties(response, { ...Object.getOwnPropertyDescriptors(express.response), ...own });
  app.request = request as typeof app.request;
  app.response = response as typeof app.response;
}

/** Returns headers that forbid foreign and inline content, and frames in other pages. */
function toSafeHeaders(mapTiles: string | undefined): ReadonlyMap<string, string> {
  const tiles = mapTiles === undefined ? '' : ` ${new URL(mapTiles.replace('{s}', 'a')).origin}`;
  const policy = [
    "default-src 'self'",
    `img-src 'self' data:${tiles}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return new Map([
    ['content-security-policy', policy.join('; ')],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
  ]);
}

/** Minimum size to compress, in bytes: shorter responses fit into one or two packets anyway. */
const minBytes = 1024;

/** Each response is compressed for one client only, so this is to be fast. */
const gzipOptions = { chunkSize: 64 * 1024, level: 1 };

/** Compresses a response in a separate thread if that saves enough. Does not compress streams, which must not be buffered. */
export async function compressReply(reply: Reply, request: IncomingMessage): Promise<Reply> {
  const { body, pieces } = reply;
  if (!pieces && (body === undefined || body.length < minBytes)) return reply;
  const headers = { ...reply.headers, vary: 'accept-encoding' };
  // All requests here have the prototype of Express.
  if (!(request as Request).acceptsEncodings('gzip')) return { ...reply, headers };
  const allHeaders = { ...headers, 'content-encoding': 'gzip' };
  if (pieces) return { ...reply, headers: allHeaders, pieces: compressPieces(pieces) };
  return { ...reply, headers: allHeaders, compressed: await promisify(gzip)(body ?? '', gzipOptions) };
}

/** Compresses pieces one after another, when they are requested. */
async function* compressPieces(pieces: NonNullable<Reply['pieces']>): AsyncGenerator<Buffer> {
  const compressor = createGzip(gzipOptions);
  // An error destroys the compressor with that error, so the reader of the compressor receives it.
  pipeline(Readable.from(pieces, { objectMode: false }), compressor).catch(() => undefined);
  yield* compressor;
}
