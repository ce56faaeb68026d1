/** Node's server: requests to the API are answered at once, those of people and tests by an express application. */
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { WallClock } from '../base/time.ts';
import { type Reply, toJsonReply } from './reply.ts';
import { send, sendUnreadable } from './wire.ts';

type Answer = (request: IncomingMessage) => Promise<Reply>;

/** Where answers come from, and who is told of our own bugs. */
export interface ServerParts {
  readonly api: Answer;
  readonly control: Answer;
  /** Where the console's map takes pictures from, if from anywhere. */
  readonly mapTiles: string | undefined;
  /** Notes a bug; gives back the id under which it can be found. */
  noteBug(error: unknown): string;
  /** What broken answers and streams go by. */
  readonly wall: WallClock;
}

const help =
  'field-sandbox: send API requests here with the header `apikey`.\nWhat it holds and what it sent: /_sandbox/ in a browser, /_sandbox/projects and /_sandbox/requests as JSON.\n';

/** How many connections there may be; those beyond are closed at once. */
const mostConnections = 10_000;

/** How long a client may take for the head of a request, and for all of it; how large the head may be. */
const patience = { headersTimeout: 30_000, requestTimeout: 120_000, maxHeaderSize: 16 * 1024 } as const;

/** The server; every answer it gives is a value from `api` or `control`, written by `send`, or a file of the console. */
export function createApiServer({ api, control, mapTiles, noteBug, wall }: ServerParts): Server {
  // Express gives requests and responses prototypes of its own: these are to have them from the start, or V8 forgets what it learned.
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
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
  const answerControl = lazily(async () => {
    const { createControlApp } = await import('./control-app.ts');
    const prototypes = { request: AppRequest.prototype, response: AppResponse.prototype };
    return createControlApp({ prototypes, answer: answerWith(control), mapTiles, wall });
  });
  const settings = { IncomingMessage: AppRequest, ServerResponse: AppResponse, ...patience };
  const server = createServer(settings, (request, response) => {
    toOriginForm(request);
    const { url = '', method } = request;
    if (isControl(url)) void answerControl(request, response);
    else if (isRoot(url) && (method === 'GET' || method === 'HEAD')) send(response, welcome(request), wall);
    else void answerApi(request, response);
  });
  server.maxConnections = mostConnections;
  return server.on('clientError', (error, socket) => sendUnreadable(socket, error));
}

/** Made for the first request: a start, and clients of the API alone, need not wait for it. */
function lazily(make: () => Promise<RequestListener>): RequestListener {
  let made: Promise<RequestListener> | undefined;
  return async (request, response) => {
    made ??= make();
    (await made)(request, response);
  };
}

function isControl(url: string): boolean {
  return url.startsWith('/_sandbox') && (url.length === 9 || url[9] === '/' || url[9] === '?');
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

const absoluteForm = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/is;

/** Clients behind a proxy ask for a whole URL (RFC 9112, 3.2.2): its host goes before the header, and its path is what counts. */
function toOriginForm(request: IncomingMessage): void {
  if (request.url === undefined || request.url.startsWith('/')) return;
  const [, host, path] = absoluteForm.exec(request.url) ?? [];
  if (host === undefined || path === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
}
