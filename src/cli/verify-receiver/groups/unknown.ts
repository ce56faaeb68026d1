/** Checks that a receiver accepts unknown types, fields and ids: the contract grows, and data is deleted. */
import type { CheckGroup } from '../check.ts';

/** Adds a field to a body that is an object. */
function writeExtra(body: unknown): string {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return JSON.stringify(isObject ? { ...body, version: 2 } : body);
}

export const acceptsUnknown: CheckGroup = {
  name: 'accepts unknown values',
  checks: [
    {
      name: 'accepts an unknown type',
      why: 'A new type is not a breaking change. A rejected callback is sent again several times, and is then lost.',
      fix: 'Respond with 2xx and ignore the callback, or log it; do not use "default: throw".',
      accepts: { 'visits.import.failed': { change: (message) => ({ ...message, type: 'visits.import.failed' }) } },
    },
    {
      name: 'accepts unknown fields',
      why: 'A new field is not a breaking change either.',
      fix: 'Configure your parser to ignore unknown fields (no additionalProperties: false, no FAIL_ON_UNKNOWN_PROPERTIES).',
      accepts: {
        'next to data': { write: writeExtra },
        'in data': { change: (message) => ({ ...message, data: { ...message.data, region: 'au' } }) },
        'in an entry': {
          change: (message) => {
            const failed = message.data.failed.map((entry) => ({ ...entry, code: 'GEOCODE' }));
            return { ...message, data: { ...message.data, failed } };
          },
        },
      },
    },
    {
      name: 'accepts unknown ids and projects',
      why: 'The record may be deleted by now, or belong to another system. Another attempt does not change that.',
      fix: 'Respond with 2xx, and log the id for a later check.',
      accepts: {
        'unknown id': { failed: [{ id: 'nobody-knows-this-id', reason: 'Address could not be geocoded' }] },
        'unknown project': { projectId: 'nobody-knows-this-project' },
      },
    },
  ],
};
