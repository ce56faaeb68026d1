/** Creates the HTTP server: handles API requests directly, and passes requests under /_sandbox to Express. */
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createLazy } from '../lib/lazy.ts';
import type { Problem } from '../lib/problem.ts';
import type { WallClock } from '../lib/time.ts';
import { malformed, maxHeadBytes, type ParseError, toMalformed, toUnmetExpectation } from './malformed.ts';
import type { Pipeline } from './pipeline.ts';
import { type ApiReplies, type Reply, toControlProblemReply } from './reply.ts';
import { send, sendMalformed } from './write-response.ts';

type Answer = (request: IncomingMessage) => Reply | Promise<Reply>;

export interface ServerParts {
  readonly api: Answer;
  readonly control: Answer;
  readonly rejectMalformed: Pipeline['rejectMalformed'];
  /** Creates the API's responses to errors outside of its request handler. */
  readonly replies: ApiReplies;
  /** URL template of the tiles of the console's map; undefined if the map has none. */
  readonly mapTiles: string | undefined;
  /** Logs an internal error; returns its id in the log. */
  logError(error: unknown): string;
  /** Whether the server listens on loopback only; without TLS, the API then rejects other host names. */
  readonly onLoopback: boolean;
  /** Clock for broken responses and streams. */
  readonly wall: WallClock;
}

const help =
  'field-sandbox: send API requests here with the header `apikey`.\nRecords, requests and callbacks: open /_sandbox/ in a browser, or read /_sandbox/projects and /_sandbox/requests as JSON.\n';

/** Maximum number of connections; the server closes further ones at once. */
const connectionLimit = 10_000;

/**
 * Maximum times for the head of a request and for the whole request, in milliseconds, and maximum size of the head.
 * `checkHost` checks the host, because Node rejects a request without one with an empty response.
 */
const requestLimits = {
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  maxHeaderSize: maxHeadBytes,
  requireHostHeader: false,
} as const;

/** Creates the server. A response is a value from `api` or `control`, written by `send`, or a console file. */
export function createApiServer(parts: ServerParts): Server {
  const { api, control, rejectMalformed, replies, mapTiles, logError, onLoopback, wall } = parts;
  // Express replaces the prototypes of requests and responses, which makes V8 drop its optimisations. With classes of
  // our own, the prototypes can equal those of Express from the start.
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    constructor(request: Request) {
      super(request);
      const socket: ClientSocket = request.socket;
      socket.latest = this;
    }

    /** While the server shuts down, makes the last response on each connection close it: later requests are ignored. */
    override writeHead(...head: [status: number]): this {
      const socket: ClientSocket = this.req.socket;
      if (!server.listening && socket.latest === this) {
        socket.isLastSent = true;
        this.shouldKeepAlive = false;
      }
      return super.writeHead(...head);
    }

    override detachSocket(socket: ClientSocket): void {
      if (socket.latest === this) socket.latest = undefined;
      super.detachSocket(socket);
    }
  }
  const answerWith =
    (answer: Answer, toReply: (bug: Problem, request: IncomingMessage) => Reply) =>
    async (request: IncomingMessage, response: ServerResponse) => {
      let reply: Reply;
      try {
        reply = await answer(request);
      } catch (error) {
        reply = toReply(toBug(logError(error)), request);
      }
      try {
        const sending = send(response, reply, wall);
        if (sending) await sending;
      } catch (error) {
        // A response that can't be written would be unreadable for the client as well.
        logError(error);
        request.socket.destroy();
      }
    };
  const toApiReply = (bug: Problem, { method = 'GET', url = '/' }: IncomingMessage): Reply =>
    replies.problem(bug, {
      id: bug.headers?.['x-request-id'] ?? '',
      atMs: wall.now(),
      request: { method, url },
    });
  const answerApi = answerWith(api, toApiReply);
  const answerBug = (error: unknown) => answerWith(() => Promise.reject(error), toControlProblemReply);
  // Loaded at the first request, so that neither the start nor pure API clients wait for it.
  const loadControlApp = createLazy(async () => {
    const { createControlApp, compressReply } = await import('./control-app.ts');
    const answerCompressed: Answer = async (request) => compressReply(await control(request), request);
    const prototypes = { request: AppRequest.prototype, response: AppResponse.prototype };
    return createControlApp({
      prototypes,
      answer: answerWith(answerCompressed, toControlProblemReply),
      answerBug,
      mapTiles,
      wall,
    });
  });
  const answerControl: RequestListener = (request, response) =>
    void loadControlApp()
      .then((app) => app(request, response))
      .catch((error: unknown) => answerBug(error)(request, response));
  /** Rejects a request. The journal only has requests of the API. */
  const answerMalformed = (request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
    const { url = '', method = '', headers } = request;
    const recorded = isControl(url) ? undefined : { url, method, headers };
    void answerWith(async () => rejectMalformed(recorded, problem), toApiReply)(request, response);
  };
  /** Over TLS, the browser has checked the name against the certificate. HTTP/1.0, which browsers don't send, has none. */
  const checkName = ({ url = '', headers: { host }, socket }: IncomingMessage): Problem | undefined =>
    !onLoopback || isControl(url) || 'encrypted' in socket || host === undefined ? undefined : checkLoopback(host);
  const answerRoot = answerWith(async (request) => toRootReply(request), toApiReply);
  const settings = { IncomingMessage: AppRequest, ServerResponse: AppResponse, ...requestLimits };
  const answerAny: RequestListener = (request, response) => {
    if (!server.listening && isEnded(request.socket)) {
      // The request arrived after its connection was ended. It can't get a response, so it must not be applied.
      request.resume();
      return;
    }
    toOriginForm(request);
    const problem = checkHost(request) ?? checkName(request);
    const { url = '', method } = request;
    if (problem) answerMalformed(request, response, problem);
    else if (isControl(url)) answerControl(request, response);
    else if (isRoot(url) && (method === 'GET' || method === 'HEAD')) void answerRoot(request, response);
    else void answerApi(request, response);
  };
  const server = createServer(settings, answerAny);
  server.on('checkContinue', (request, response) => {
    // A request that its head decides is never read, so its client does not send the body.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    answerAny(request, response);
  });
  server.on('checkExpectation', (request, response) => answerMalformed(request, response, toUnmetExpectation(request)));
  server.maxConnections = connectionLimit;
  // Their size is limited; with a limit on their number, Node drops those beyond it.
  server.maxHeadersCount = 0;
  // A client can wait for many responses on one connection, each of which listens.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  return server.on('clientError', (error: ParseError, socket: ClientSocket) => {
    const { latest, isMalformed } = socket;
    if (!socket.writable || isMalformed) return;
    socket.isMalformed = true;
    // A request before it gets its response first: it may be the mistake, such as one with a content-length that is too small.
    const before = latest?.req.complete ? latest : undefined;
    const { request, problem } = toMalformed(error, before !== undefined);
    const recorded = request && isControl(before?.req.url ?? request.url) ? undefined : request;
    const answer = () => socket.writable && sendMalformed(socket, rejectMalformed(recorded, problem), wall);
    if (before) before.once('finish', answer);
    else answer();
  });
}

function isControl(url: string): boolean {
  return url.startsWith('/_sandbox') && (url.length === 9 || url[9] === '/' || url[9] === '?');
}

/** Redirects browsers to the console; sends two lines of help to other clients. */
function toRootReply({ headers }: IncomingMessage): Reply {
  return headers.accept?.includes('text/html')
    ? { status: 302, headers: { location: '/_sandbox/', vary: 'accept' }, body: undefined }
    : { status: 200, headers: { 'content-type': 'text/plain', vary: 'accept' }, body: help };
}

function isRoot(url: string): boolean {
  return url === '/' || url.startsWith('/?');
}

function toBug(id: string): Problem {
  const message = `the sandbox failed because of a bug; search its log for ${id} to find the details`;
  return { kind: 'internal', message, headers: { 'x-request-id': id } };
}

const absoluteForm = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/is;

/** Converts the absolute URL of a proxied request to a path; its host replaces `host` (RFC 9112, 3.2.2). */
function toOriginForm(request: IncomingMessage): void {
  if (request.url === undefined || request.url.startsWith('/')) return;
  const [, host, path] = absoluteForm.exec(request.url) ?? [];
  if (host === undefined || path === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
}

/** Checks that a request has exactly one host (RFC 9112, 3.2). Node takes the first of several. */
function checkHost({ rawHeaders, httpVersionMinor }: IncomingMessage): Problem | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return undefined;
  const message = hosts === 0 ? 'the header `host` is missing' : `expected one header \`host\`, got ${hosts}`;
  return {
    ...malformed(message),
    errors: [{ path: 'header:host', message }],
    headers: { connection: 'close' },
  };
}

/** Checks that the host name of a request is one of this machine: another name may be that of a page (DNS rebinding). */
export function checkLoopback(host: string): Problem | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const isOwn = name === 'localhost' || name.endsWith('.localhost') || name === '[::1]';
  if (isOwn || /^127(\.\d{1,3}){3}$/.test(name)) return undefined;
  const message = 'this sandbox listens on loopback only: the host name must be localhost or 127.0.0.1';
  return { kind: 'misdirected', message };
}

/** A connection with the response to its latest request, until that was sent. */
type ClientSocket = Socket & {
  latest?: ServerResponse | undefined;
  isLastSent?: boolean;
  isMalformed?: boolean;
};

/** Returns whether the last response was sent on a connection, or the connection was ended without one. */
function isEnded(socket: ClientSocket): boolean {
  return socket.isLastSent === true || socket.writableEnded;
}
