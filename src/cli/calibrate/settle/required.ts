/** Settles the required fields of entries: what all accepted entries have, and rejections name. */
import type { Profile } from '../../../openapi/profile/profile.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import type { Case } from '../play/play.ts';
import { listEntries, type SeenEntry } from './entries.ts';
import type { Evidence, Trial } from './proposal.ts';

/** A list of required fields in the profile, and the entries that it is about. */
interface RequiredList {
  readonly names: readonly string[];
  readonly isAbout: (operation: OperationId) => boolean;
  readonly isInRoute?: true;
}

const isUpdate = (operation: OperationId): boolean =>
  operation.includes('Update') || operation === 'syncCreateJobsInSubproject';
const hasList = (list: string) => (operation: OperationId) => operations[operation].list === list;
const isJobs = hasList('jobs');

const requiredLists: readonly RequiredList[] = [
  { names: ['jobs', 'create'], isAbout: (operation) => isJobs(operation) && !isUpdate(operation) },
  { names: ['jobs', 'update'], isAbout: (operation) => isJobs(operation) && isUpdate(operation) },
  { names: ['jobs', 'inRoute'], isAbout: hasList('routes'), isInRoute: true },
  { names: ['orders'], isAbout: hasList('orders') },
  { names: ['routes'], isAbout: hasList('routes') },
];

export function tryRequired({ cases, applied }: Evidence): readonly Trial[] {
  return requiredLists.flatMap(({ names, isAbout, isInRoute }): readonly Trial[] => {
    const own = cases.filter(({ mapped }) => isAbout(mapped.operation));
    const entries = own.filter(isCompared).flatMap((one) => listEntries(one, isInRoute));
    const present = readList(applied.profile, names);
    const wanted = findRequired(entries, present);
    if (wanted.length === present.length && wanted.every((name) => present.includes(name))) return [];
    const patch = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), wanted);
    const text = `required.${names.join('.')}: [${wanted.join(', ')}]`;
    return [{ text, patch: { required: patch }, isAbout: ({ mapped }) => isAbout(mapped.operation) }];
  });
}

function readList({ required }: Profile, [first = '', second = '']: readonly string[]): readonly string[] {
  const { jobs, ...others } = required;
  return (first === 'jobs' ? jobs[second as keyof typeof jobs] : others[first as keyof typeof others]) ?? [];
}

function isCompared({ ours, mapped }: Case): boolean {
  return mapped.exchange.response.status < 300 && ours.kind === undefined;
}

/** Returns the fields that explain the results: `id`, those that stay, and those that a rejection misses. */
function findRequired(entries: readonly SeenEntry[], present: readonly string[]): readonly string[] {
  const accepted = entries.filter(({ real }) => real);
  if (accepted.length === 0) return present;
  const isInAll = (name: string): boolean => accepted.every(({ value }) => name in value);
  const kept = present.filter((name) => name === 'id' || isInAll(name));
  const rejected = entries.filter(({ ours, real }) => ours && !real);
  const isMissed = (name: string): boolean =>
    rejected.some(({ value, reason }) => !(name in value) && reason.includes(name));
  const names = Object.keys(accepted[0]?.value ?? {}).filter((name) => !kept.includes(name));
  return [...kept, ...names.filter((name) => isInAll(name) && isMissed(name))];
}
