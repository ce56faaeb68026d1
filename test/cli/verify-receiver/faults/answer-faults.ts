/** Receivers that do not respond, or send the same response to all callbacks. */
import { rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { verify } = rightSteps;

export const answerFaults: Readonly<Record<string, Fault>> = {
  redirects: {
    steps: { begin: () => 307 },
    found: ['responds without a redirect'],
    note: 'responded with 307: redirects are not followed',
    ends: 'valid callbacks are redirected',
  },
  'never responds': {
    steps: { begin: () => 0 },
    found: ['responds in time'],
    note: 'no response (timed out after 100 ms)',
    attemptMs: 100,
    ends: 'a valid callback got no response',
  },
  'never ends its response': {
    steps: {
      begin: ({ response }) => {
        response.writeHead(200).write('working on it');
        return 0;
      },
    },
    found: ['responds in time'],
    note: '200, but the response did not end',
    ends: 'the responses never end',
    attemptMs: 3000,
  },
  'has another secret': {
    steps: { verify: (body, headers) => verify(body, { ...headers, 'webhook-id': 'other' }) },
    found: ['accepts all types'],
    note: 'all of them: responded with 401',
    ends: 'the receiver rejects all valid callbacks',
    hint: 'check the secret (the callbacks are signed with the published default secret; --callback-secret sets another), the clock, and that the signature is verified with the raw bytes of the body',
  },
  'has another path': {
    steps: { begin: () => 404 },
    found: ['accepts all types'],
    note: 'all of them: responded with 404',
    ends: 'the receiver rejects all valid callbacks',
    hint: 'check the path, and accept callbacks with unknown ids',
  },
  'always fails': {
    steps: { take: () => 500 },
    found: ['accepts all types'],
    note: 'all of them: responded with 500',
    ends: 'the receiver fails for all valid callbacks',
    hint: 'check its log',
  },
  'responds with 410': {
    steps: { take: () => 410 },
    found: ['accepts all types'],
    note: 'all of them: responded with 410, so the sender drops this callback and sends no more',
    ends: 'the receiver rejects all valid callbacks',
    hint: 'check the secret (the callbacks are signed with the published default secret; --callback-secret sets another), the clock, and that the signature is verified with the raw bytes of the body',
  },
};
