/** Checks that a receiver accepts unknown types, fields and ids: the contract grows, and data is deleted. */
import type { CallbackContent, Check, CheckGroup } from '../check.ts';
import { judgeAccepted } from '../judge.ts';
import { sendInOrder } from '../send-in-order.ts';

/** Creates a check whose callbacks the receiver must accept. `callbacks`: their contents, by label. */
function accepts(callbacks: Readonly<Record<string, CallbackContent>>, texts: Omit<Check, 'run'>): Check {
  return {
    ...texts,
    run: async (context) => {
      const attempts = Object.entries(callbacks).map(([label, content]) => ({
        label,
        callback: context.createCallback(content),
      }));
      return judgeAccepted(await sendInOrder(context, attempts));
    },
  };
}

const unknownType = accepts(
  { 'visits.import.failed': { write: (message) => JSON.stringify({ ...message, type: 'visits.import.failed' }) } },
  {
    name: 'takes a type that it does not know',
    why: 'A new type is no breaking change. What is refused is sent again and again, and then lost.',
    fix: 'Answer 2xx and do nothing, or write a line into the log; no "default: throw".',
  },
);

const extraFields = accepts(
  {
    'beside data': { write: (message) => JSON.stringify({ ...message, version: 2 }) },
    'in data': { write: (message) => JSON.stringify({ ...message, data: { ...message.data, region: 'au' } }) },
    'in an entry': {
      write: (message) => {
        const failed = message.data.failed.map((entry) => ({ ...entry, code: 'GEOCODE' }));
        return JSON.stringify({ ...message, data: { ...message.data, failed } });
      },
    },
  },
  {
    name: 'takes fields that it does not know',
    why: 'A new field is no breaking change either.',
    fix: 'Let your reader pass over unknown fields (no additionalProperties: false, no FAIL_ON_UNKNOWN_PROPERTIES).',
  },
);

const unknownIds = accepts(
  {
    'an id': { failed: [{ id: 'nobody-knows-this-id', reason: 'Address could not be geocoded' }] },
    'a project': { projectId: 'nobody-knows-this-project' },
  },
  {
    name: 'takes ids and projects that it does not know',
    why: 'What failed may be deleted by now, or of another system. To send it again does not make it known.',
    fix: 'Answer 2xx, and note the id for somebody to look at.',
  },
);

export const acceptsUnknown: CheckGroup = {
  name: 'is ready for what it does not know',
  checks: [unknownType, extraFields, unknownIds],
};
