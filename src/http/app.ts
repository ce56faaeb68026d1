/** The express application: three mounts, and node's server made so that express has nothing to change on a request. */
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import type { WallClock } from '../base/time.ts';
import { type Reply, toJsonReply } from './reply.ts';
import { send, sendUnreadable } from './wire.ts';

type Answer = (request: IncomingMessage) => Promise<Reply>;

/** Where answers come from, and who is told of our own bugs. */
export interface AppParts {
  readonly api: Answer;
  readonly control: Answer;
  /** Files of the console; undefined for what is none. */
  readonly console: (request: IncomingMessage) => Promise<Reply | undefined>;
  /** Notes a bug; gives back the id under which it can be found. */
  noteBug(error: unknown): string;
  /** What broken answers and streams go by. */
  readonly wall: WallClock;
}

const help =
  'field-sandbox: send API requests here with the header `apikey`.\nWhat it holds and what it sent: /_sandbox/ in a browser, /_sandbox/projects and /_sandbox/requests as JSON.\n';

/** The application; every answer it gives is a value from `api` or `control`, written by `send`. */
export function createApp({ api, control, console, noteBug, wall }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const answerWith = (answer: Answer) => async (request: IncomingMessage, response: ServerResponse) => {
    let reply: Reply;
    try {
      reply = await answer(request);
    } catch (error) {
      reply = toBug(noteBug(error));
    }
    try {
      send(response, reply, wall);
    } catch (error) {
      // An answer that can't be written is one that no client could read.
      noteBug(error);
      request.socket.destroy();
    }
  };
  const answerApi = answerWith(api);
  const answerControl = answerWith(async (request) => (await console(request)) ?? control(request));
  app.use((request, response) => {
    const url = request.url;
    if (url.startsWith('/_sandbox') && (url.length === 9 || url[9] === '/' || url[9] === '?'))
      void answerControl(request, response);
    else if (isRoot(url) && (request.method === 'GET' || request.method === 'HEAD'))
      send(response, welcome(request), wall);
    else void answerApi(request, response);
  });
  return app;
}

/** People who came with a browser see the console, everyone else two lines of help. */
function welcome({ headers }: IncomingMessage): Reply {
  return headers.accept?.includes('text/html')
    ? { status: 302, headers: { location: '/_sandbox/', vary: 'accept' }, body: undefined }
    : { status: 200, headers: { 'content-type': 'text/plain', vary: 'accept' }, body: help };
}

function isRoot(url: string): boolean {
  return url === '/' || url.startsWith('/?');
}

function toBug(id: string): Reply {
  return toJsonReply(500, { message: `a bug of the sandbox; its log tells more under ${id}` }, { 'x-request-id': id });
}

/** How many connections there may be; those beyond are closed at once. */
const mostConnections = 10_000;

/** How long a client may take for the head of a request, and for all of it; how large the head may be. */
const patience = { headersTimeout: 30_000, requestTimeout: 120_000, maxHeaderSize: 16 * 1024 } as const;

/**
 * A server whose requests and responses are express's already. Express gives every request and response its own
 * prototype, which costs V8 all that it has learned of them, half of the time of a small request: here that is a no-op.
 */
export function createAppServer(app: Express): Server {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  Object.defineProperties(AppRequest.prototype, Object.getOwnPropertyDescriptors(express.request));
  Object.defineProperties(AppResponse.prototype, Object.getOwnPropertyDescriptors(express.response));
  const own = { app: { configurable: true, enumerable: true, writable: true, value: app } };
  app.request = Object.defineProperties(AppRequest.prototype, own) as unknown as typeof app.request;
  app.response = Object.defineProperties(AppResponse.prototype, own) as unknown as typeof app.response;
  const answer = app as unknown as RequestListener<typeof AppRequest, typeof AppResponse>;
  const settings = { IncomingMessage: AppRequest, ServerResponse: AppResponse, ...patience };
  const server = createServer(settings, (request, response) => {
    toOriginForm(request);
    answer(request, response);
  });
  server.maxConnections = mostConnections;
  return server.on('clientError', (error, socket) => sendUnreadable(socket, error));
}

const absoluteForm = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/is;

/** Clients behind a proxy ask for a whole URL (RFC 9112, 3.2.2): its host goes before the header, and its path is what counts. */
function toOriginForm(request: IncomingMessage): void {
  if (request.url === undefined || request.url.startsWith('/')) return;
  const [, host, path] = absoluteForm.exec(request.url) ?? [];
  if (host === undefined || path === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
}
