/** Serves the console: static files that were built beside the server, and nothing from elsewhere. */
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply } from './reply.ts';

/** The server stands beside it when it is built, and far from it when it runs from its sources. */
const folder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : './console/', import.meta.url),
);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Answers with a file of the console; undefined where the path is of none. `mapTiles`: what the map may load, if anything. */
export function createConsole(mapTiles: string | undefined): (request: IncomingMessage) => Promise<Reply | undefined> {
  const headers = toHeaders(mapTiles);
  let known: Promise<ReadonlySet<string>> | undefined;

  return async ({ method, url = '' }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const [pathname = ''] = url.split('?');
    if (pathname === '/_sandbox') return { status: 302, headers: { location: '/_sandbox/' }, body: undefined };
    const name = pathname.slice('/_sandbox/'.length) || 'index.html';
    known ??= listFiles();
    if (!(await known).has(name)) return name === 'index.html' ? notBuilt : undefined;
    // Names of assets change with what is in them.
    const caching = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    return {
      status: 200,
      headers: { ...headers, 'content-type': types[path.extname(name)] as string, 'cache-control': caching },
      body: await readFile(path.join(folder, name), 'utf8'),
    };
  };
}

/** The files that may be asked for, so that no path leads out of the folder. */
async function listFiles(): Promise<ReadonlySet<string>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return new Set(names.map((name) => name.replaceAll(path.sep, '/')).filter((name) => path.extname(name) in types));
}

const notBuilt: Reply = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: 'The console is not built: npm run build\n',
};

/** Nothing is loaded from elsewhere, nothing stands inline, and no other page may show it in a frame. */
function toHeaders(mapTiles: string | undefined): Readonly<Record<string, string>> {
  const tiles = mapTiles === undefined ? '' : ` ${new URL(mapTiles.replace('{s}', 'a')).origin}`;
  const policy = [
    "default-src 'self'",
    `img-src 'self' data:${tiles}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}
