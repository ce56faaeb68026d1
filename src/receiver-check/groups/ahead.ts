/** Whether it takes what it does not know yet: a contract grows, and data is deleted. */
import type { About, Check, Group } from '../check.ts';
import { inTurn } from '../in-turn.ts';
import { judgeTaken } from '../judge.ts';

function takes(letters: Readonly<Record<string, About>>, texts: Omit<Check, 'play'>): Check {
  return {
    ...texts,
    play: async (play) => {
      const turns = Object.entries(letters).map(([what, about]) => ({ what, letter: play.letter(about) }));
      return judgeTaken(await inTurn(play, turns));
    },
  };
}

const unknownType = takes(
  { 'visits.import.failed': { write: (message) => JSON.stringify({ ...message, type: 'visits.import.failed' }) } },
  {
    name: 'takes a type that it does not know',
    why: 'A new type is no breaking change. What is refused is sent again and again, and then lost.',
    mend: 'Answer 2xx and do nothing, or write a line into the log; no "default: throw".',
  },
);

const extraFields = takes(
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
    mend: 'Let your reader pass over unknown fields (no additionalProperties: false, no FAIL_ON_UNKNOWN_PROPERTIES).',
  },
);

const unknownIds = takes(
  {
    'an id': { failed: [{ id: 'nobody-knows-this-id', reason: 'Address could not be geocoded' }] },
    'a project': { projectId: 'nobody-knows-this-project' },
  },
  {
    name: 'takes ids and projects that it does not know',
    why: 'What failed may be deleted by now, or of another system. To send it again does not make it known.',
    mend: 'Answer 2xx, and note the id for somebody to look at.',
  },
);

export const readyForMore: Group = {
  name: 'is ready for what it does not know',
  checks: [unknownType, extraFields, unknownIds],
};
