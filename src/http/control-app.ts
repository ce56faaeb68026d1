/** The express application under /_sandbox: the console's files, which were built beside the server, and the control API. */
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Express, type RequestHandler } from 'express';
import type { WallClock } from '../base/time.ts';
import type { Reply } from './reply.ts';
import { limitReading, send } from './wire.ts';

/** What it is made of. */
export interface ControlAppParts {
  /** What the server's requests and responses are made from. */
  readonly prototypes: { readonly request: object; readonly response: object };
  /** Answers all that is no file of the console. */
  readonly answer: RequestListener;
  /** Where the console's map takes pictures from, if from anywhere. */
  readonly mapTiles: string | undefined;
  readonly wall: WallClock;
}

/** The server stands beside it when it is built, and far from it when it runs from its sources. */
const folder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : './console/', import.meta.url),
);

const notBuilt: Reply = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: 'The console is not built: npm run build\n',
};

export function createControlApp({ prototypes, answer, mapTiles, wall }: ControlAppParts): Express {
  const app = express();
  app.disable('x-powered-by').enable('strict routing');
  adopt(app, prototypes);
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
        limitReading(response, size, wall);
      },
    });
  app.get('/_sandbox', reply({ status: 302, headers: { location: '/_sandbox/' }, body: undefined }));
  // Names of assets change with what is in them.
  app.use('/_sandbox/assets', serve('assets', 'public, max-age=31536000, immutable'));
  const page = serve('.', 'no-cache');
  app.get('/_sandbox/', (request, response, next) => {
    request.url = '/';
    page(request, response, next);
  });
  app.get('/_sandbox/', reply(notBuilt));
  app.use(answer);
  return app;
}

/**
 * Express gives every request and response its own prototype, which costs V8 all that it has learned of them. Here that
 * changes nothing: theirs become what express would give them.
 */
function adopt(app: Express, { request, response }: ControlAppParts['prototypes']): void {
  const own = { app: { configurable: true, enumerable: true, writable: true, value: app } };
  Object.defineProperties(request, { ...Object.getOwnPropertyDescriptors(express.request), ...own });
  Object.defineProperties(response, { ...Object.getOwnPropertyDescriptors(express.response), ...own });
  app.request = request as typeof app.request;
  app.response = response as typeof app.response;
}

/** Nothing is loaded from elsewhere, nothing stands inline, and no other page may show it in a frame. */
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
