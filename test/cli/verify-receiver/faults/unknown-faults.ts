/** Receivers that refuse what they do not know. */
import { rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { take } = rightSteps;

export const unknownFaults: Readonly<Record<string, Fault>> = {
  'fails at a type that it does not know': {
    steps: {
      take: (message, incoming) =>
        /^(jobs|routes|orders)\.(import|update)\.failed$/.test(message.type) ? take(message, incoming) : 500,
    },
    found: ['takes a type that it does not know'],
    note: 'visits.import.failed: answered 500',
  },
  'knows one type only': {
    steps: { take: (message, incoming) => (message.type === 'routes.import.failed' ? take(message, incoming) : 400) },
    found: ['takes all six types', 'takes a type that it does not know'],
    note: 'jobs.import.failed, jobs.update.failed, routes.update.failed, orders.import.failed, orders.update.failed: answered 400',
  },
  'refuses fields that it does not know': {
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
    found: ['takes fields that it does not know'],
    note: 'beside data, in data, in an entry: answered 400',
  },
  'refuses a sub-project': {
    steps: { take: (message, incoming) => ('subProjectId' in message.data ? 400 : take(message, incoming)) },
    found: ['takes one of a sub-project'],
    note: 'answered 400',
  },
  'looks for ids': {
    steps: {
      take: (message, incoming) =>
        message.data.failed.every(({ id }) => String(id).startsWith('VERIFY')) ? take(message, incoming) : 404,
    },
    found: ['takes ids and projects that it does not know'],
    note: 'an id: answered 404',
  },
  'looks for projects': {
    steps: {
      take: (message, incoming) => (message.data['projectId'] === 'verify-receiver' ? take(message, incoming) : 404),
    },
    found: ['takes ids and projects that it does not know'],
    note: 'a project: answered 404',
  },
};
