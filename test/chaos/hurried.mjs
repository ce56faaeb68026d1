/** Loaded before the program: its patience with clients is so many times shorter, so that a test need not wait for minutes. */
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const times = Number(new URL(import.meta.url).searchParams.get('times'));
const { createServer, ServerResponse } = http;
const setResponseTimeout = ServerResponse.prototype.setTimeout;

http.createServer = (options, listener) => {
  const { headersTimeout, requestTimeout } = options;
  const limits = { headersTimeout: headersTimeout / times, requestTimeout: requestTimeout / times };
  return createServer({ ...options, ...limits, connectionsCheckingInterval: 30_000 / times }, listener);
};
ServerResponse.prototype.setTimeout = function hurry(ms, listener) {
  return setResponseTimeout.call(this, ms / times, listener);
};
syncBuiltinESMExports();
