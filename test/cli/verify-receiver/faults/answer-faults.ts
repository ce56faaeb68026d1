/** Receivers that give no answer, or the same to all. */
import { rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { verify } = rightSteps;

export const answerFaults: Readonly<Record<string, Fault>> = {
  redirects: {
    steps: { begin: () => 307 },
    found: ['answers at this address itself'],
    note: 'answered 307: redirects are not followed',
    ends: 'valid ones are sent elsewhere',
  },
  'never answers': {
    steps: { begin: () => 0 },
    found: ['answers in time'],
    note: 'gave no answer (timed out after 100 ms)',
    attemptMs: 100,
    ends: 'a valid one has no answer',
  },
  'never ends its answer': {
    steps: {
      begin: ({ response }) => {
        response.writeHead(200).write('working on it');
        return 0;
      },
    },
    found: ['answers in time'],
    note: '200, but its end had not come',
    ends: 'answers never end',
    attemptMs: 500,
  },
  'never answers what is not signed': {
    steps: { begin: ({ headers }) => ('webhook-signature' in headers ? undefined : 0) },
    found: ['refuses what is not signed'],
    note: 'no header at all: gave no answer (timed out after 1 s)',
    attemptMs: 1000,
  },
  'has another secret': {
    steps: { verify: (body, headers) => verify(body, { ...headers, 'webhook-id': 'other' }) },
    found: ['takes all six types'],
    note: 'all of them: answered 401',
    ends: 'all valid ones are refused',
    hint: "is the secret right? They were signed with the published secret; --callback-secret gives another. Then: does it verify the body's bytes as they came, and is its clock right?",
  },
  'is at another path': {
    steps: { begin: () => 404 },
    found: ['takes all six types'],
    note: 'all of them: answered 404',
    ends: 'all valid ones are refused',
    hint: 'is the path right? And ids that it does not know have to be taken, too',
  },
  'fails always': {
    steps: { take: () => 500 },
    found: ['takes all six types'],
    note: 'all of them: answered 500',
    ends: 'all valid ones fail',
    hint: 'what does its log say?',
  },
  'wants no more': {
    steps: { take: () => 410 },
    found: ['takes all six types'],
    note: 'all of them: answered 410, at which the sender gives up this callback and sends no other',
    ends: 'all valid ones are refused',
    hint: "is the secret right? They were signed with the published secret; --callback-secret gives another. Then: does it verify the body's bytes as they came, and is its clock right?",
  },
};
