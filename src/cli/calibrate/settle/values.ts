/** Lists the keys of a profile with few values, whose effects only a trial shows. */
import { operationFacts } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import { operations } from '../../../operations/index.ts';
import { isObject } from '../exchange.ts';
import { isCreation } from '../mapping/skeleton.ts';
import type { Case } from '../play/play.ts';
import type { Evidence, Trial } from './proposal.ts';

interface Choice {
  readonly key: string;
  readonly values: readonly string[];
  readonly isAbout: Trial['isAbout'];
}

const isOf = (collection: string) => (one: Case) =>
  operations[one.mapped.operation].collection === collection && isCreation(one.mapped.operation);
const isRegistration = ({ mapped }: Case): boolean => mapped.operation === 'registerUser';
const hasNull = ({ mapped }: Case): boolean => /\bnull\b/.test(mapped.exchange.body?.text ?? '');

const choices: readonly Choice[] = [
  { key: 'nulls', values: ['reject', 'ignore'], isAbout: hasNull },
  ...['jobs', 'orders', 'routes', 'users'].map((name) => ({
    key: `duplicates.${name}`,
    values: ['reject', 'replace'],
    isAbout: isOf(name),
  })),
  { key: 'duplicates.routeJobs', values: ['attach', 'replace', 'reject'], isAbout: isOf('routes') },
  { key: 'users.attendantAccess', values: ['required', 'default'], isAbout: isRegistration },
  { key: 'users.withoutType', values: ['reject', 'driver', 'attendant'], isAbout: isRegistration },
  {
    key: 'otherSubproject',
    values: ['warn', 'reject'],
    isAbout: ({ mapped }) => !isCreation(mapped.operation),
  },
];

/** Returns a trial of each value that a profile does not have, and of the other mode of each operation that differs. */
export function tryValues({ cases, applied: { profile } }: Evidence): readonly Trial[] {
  const facts = operationFacts();
  const ids = [...new Set(cases.map(({ mapped }) => mapped.operation))];
  const modes = ids.filter((id) => facts.get(id)?.canBeAsync);
  return [
    ...choices.flatMap(({ key, values, isAbout }) => {
      const names = key.split('.');
      const present = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), profile);
      return values.filter((value) => value !== present).map((value) => toTrial(names, value, isAbout));
    }),
    ...modes.map((id) => {
      const present = profile.operations[id]?.mode ?? operations[id].mode;
      const names = ['operations', id, 'mode'];
      return toTrial(names, present === 'sync' ? 'async' : 'sync', ({ mapped }) => mapped.operation === id);
    }),
  ];
}

function toTrial(names: readonly string[], value: string, isAbout: Trial['isAbout']): Trial {
  const patch = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Json;
  return { text: `${names.join('.')}: ${value}`, patch, isAbout };
}
