/** Receives callbacks: verifies, stores, acknowledges, and only then processes them. */
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';

const maxBytes = 4_000_000;

export async function startReceiver(rules, handle) {
  /** In production: a table with webhook-id as its key. */
  const stored = new Map();
  const processed = [];
  const rejected = [];
  const changes = new EventEmitter();

  /** Calls `respond` with the status of the answer. The sandbox sends a callback again that was not answered by 2xx. */
  async function receive(request, respond) {
    const body = await readBody(request);
    const id = request.headers['webhook-id'];
    if (!rules.isSigned(request.headers, body)) return reject(id, 'its signature is not valid', () => respond(401));
    if (rules.acknowledgesFirst) respond(204);
    const message = parse(body);
    if (message === undefined) return reject(id, 'its body is not JSON', () => respond(400));
    const isNew = rules.isNew(id, stored);
    stored.set(id, message);
    respond(204);
    if (isNew) process(id, message);
  }

  function reject(id, reason, respond) {
    rejected.push(`callback ${id} was rejected: ${reason}`);
    respond();
    changes.emit('change');
  }

  function process(id, message) {
    processed.push(id);
    handle(message);
    changes.emit('change');
  }

  const server = createServer((request, response) => {
    const respond = (status) => {
      if (!response.headersSent) response.writeHead(status).end();
    };
    receive(request, respond).catch(() => response.destroy()); // The sender disconnected within the body.
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  return {
    url: `http://127.0.0.1:${server.address().port}/callbacks`,
    /** Ids of processed callbacks, in order. */
    processed,
    rejected,
    /** Resolves once `isDone` holds after a callback, or a callback was rejected; at the latest when `signal` aborts. */
    async until(isDone, signal) {
      while (!isDone() && rejected.length === 0 && !signal.aborted)
        await once(changes, 'change', { signal }).catch(() => undefined);
    },
  };
}

async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('the callback is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
