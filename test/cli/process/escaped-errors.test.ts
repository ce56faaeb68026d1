/** Which uncaught errors let the process continue. */
import { expect, test } from 'vitest';
import { isStreamError } from '../../../src/cli/process/escaped-errors.ts';

const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

test.each<[boolean, string, unknown]>([
  [true, 'of a socket', error('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })],
  [true, 'of a closed pipe', error('write EPIPE', { code: 'EPIPE', syscall: 'write' })],
  [true, 'of a server', error('accept EMFILE', { code: 'EMFILE', syscall: 'accept' })],
  [true, 'of a stream', error('write after end', { code: 'ERR_STREAM_WRITE_AFTER_END' })],
  [false, 'of a file', error('ENOSPC: no space left on device, write', { code: 'ENOSPC', syscall: 'write' })],
  [false, 'of a bug in the code', new TypeError('x is not a function')],
  [false, 'that is not an Error', 'read ECONNRESET'],
])('the process continues (%s) after an error %s', (isHarmless, _, thrown) => {
  expect(isStreamError(thrown)).toBe(isHarmless);
});
