/** Receivers that reject unknown values. */
import { rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { take } = rightSteps;

export const unknownFaults: Readonly<Record<string, Fault>> = {
  'fails at an unknown type': {
    steps: {
      take: (message, incoming) =>
        /^(jobs|routes|orders)\.(import|update)\.failed$/.test(message.type) ? take(message, incoming) : 500,
    },
    found: ['accepts an unknown type'],
    note: 'visits.import.failed: responded with 500',
  },
  'knows one type only': {
    steps: { take: (message, incoming) => (message.type === 'routes.import.failed' ? take(message, incoming) : 400) },
    found: ['accepts all types', 'accepts an unknown type'],
    note: 'jobs.import.failed, jobs.update.failed, orders.import.failed, orders.update.failed: responded with 400',
  },
  'rejects unknown fields': {
    steps: {
      take: (message, incoming) => {
        const known = ['projectId', 'subProjectId', 'operation', 'requestId', 'failed'];
        const isKnown =
          Object.keys(message).length === 3 &&
          Object.keys(message.data).every((key) => known.includes(key)) &&
          message.data.failed.every((entry) => Object.keys(entry).length === 2);
        return isKnown ? take(message, incoming) : 400;
      },
    },
    found: ['accepts unknown fields'],
    note: 'next to data, in data, in an entry: responded with 400',
  },
  'rejects a subproject': {
    steps: { take: (message, incoming) => ('subProjectId' in message.data ? 400 : take(message, incoming)) },
    found: ['accepts a callback of a subproject'],
    note: 'responded with 400',
  },
  'requires known ids': {
    steps: {
      take: (message, incoming) =>
        message.data.failed.every(({ id }) => String(id).startsWith('VERIFY')) ? take(message, incoming) : 404,
    },
    found: ['accepts unknown ids and projects'],
    note: 'unknown id: responded with 404',
  },
  'requires known projects': {
    steps: {
      take: (message, incoming) => (message.data['projectId'] === 'verify-receiver' ? take(message, incoming) : 404),
    },
    found: ['accepts unknown ids and projects'],
    note: 'unknown project: responded with 404',
  },
};
