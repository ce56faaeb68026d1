/** Says in the served document what a profile changes about the rules of records and about limits. */
import type { Json } from '../../lib/json.ts';
import { type ApiDocument, eachOperation, resolve } from '../api-document.ts';
import { type Profile, shippedProfile, type Transitions, toStatuses } from '../profile/profile.ts';

/** A sentence about a rule, and the operations or the responses that it is about. */
interface Sentence {
  readonly text: string;
  readonly isAbout: (operationId: string) => boolean;
  /** The responses that have it, in place of the operation itself. */
  readonly status?: number | undefined;
  /** The assumption that is not true any more. */
  readonly ends?: string;
}

/** Adds a sentence for each rule that differs from the default. */
export function showRules(document: ApiDocument, profile: Profile): void {
  const sentences = toSentences(profile);
  if (sentences.length === 0) return;
  for (const { operation } of eachOperation(document)) {
    const id = String(operation['operationId']);
    const responses = operation['responses'] as Record<string, Json>;
    if (id === 'registerUser' && profile.duplicates.users === 'replace') removeDuplicate(responses, profile);
    for (const { text, status, ends = '' } of sentences.filter(({ isAbout }) => isAbout(id))) {
      const described = status === undefined ? operation : responses[String(status)];
      if (described) addOnce(resolve(document, described), text);
      operation['x-not-shown'] = String(operation['x-not-shown']).replace(ends, '').trimEnd();
    }
  }
}

/** Removes the response to a record that exists, unless another error has its status. */
function removeDuplicate(responses: Record<string, Json>, { errors }: Profile): void {
  const others = Object.entries(errors).filter(([kind, status]) => kind !== 'duplicate' && status === errors.duplicate);
  if (others.length === 0) delete responses[String(errors.duplicate)];
}

/** Adds a sentence, unless it was added for another operation that shares the response. */
function addOnce(described: Json, text: string): void {
  const description = String(described['description']);
  if (!description.endsWith(text)) described['description'] = `${description} ${text}`;
}

const creates = /register|Import|Create/;
const updates = /update/i;
const isOf = (noun: string) => (id: string) => new RegExp(noun).test(id);
const all = () => true;

function toSentences(profile: Profile): readonly Sentence[] {
  const { duplicates, updates: ofUpdates, regions, otherSubproject, transitions, rate, limits, downstream } = profile;
  const statuses = toStatuses(profile);
  // A route updates the jobs that join it.
  const isChange = (id: string) => updates.test(id) || (duplicates.routeJobs === 'attach' && /Routes/.test(id));
  const differs = (choose: (of: Profile) => unknown) =>
    JSON.stringify(choose(profile)) !== JSON.stringify(choose(shippedProfile));
  const isAsync = (id: string) => (profile.operations[id]?.mode ?? id.slice(0, 5)) === 'async';
  const choices: readonly (readonly [boolean, Sentence])[] = [
    [duplicates.jobs === 'replace', toReplaced('A job', /Jobs/)],
    [duplicates.orders === 'replace', toReplaced('An order', /Orders/)],
    [
      duplicates.routes === 'replace',
      { ...toReplaced('A route', /Routes/), ends: ' That a route which is sent again gets the jobs that it lacks.' },
    ],
    [duplicates.users === 'replace', toReplaced('A user', /User/)],
    [
      differs((of) => of.duplicates.routeJobs),
      {
        text: `A job which exists and is named by a route is ${duplicates.routeJobs === 'reject' ? 'rejected' : 'replaced'}.`,
        isAbout: isOf('Routes'),
        ends: ' That a job which exists joins the route.',
      },
    ],
    [
      ofUpdates.nested === 'merge',
      {
        text: 'Objects inside an updated record are merged at any depth; lists are replaced.',
        isAbout: isChange,
        ends: ' That an object inside the record is replaced as a whole.',
      },
    ],
    [regions.separate, { text: 'A project is one of the region whose host the request was made to.', isAbout: all }],
    [
      otherSubproject === 'reject',
      {
        text: 'An update through another subproject than that of the record is rejected.',
        isAbout: (id) => isChange(id) && id.endsWith('InSubproject'),
      },
    ],
    [differs((of) => of.transitions.jobs), toFollowing(transitions.jobs, (id) => isChange(id) && /Job|Route/.test(id))],
    [differs((of) => of.transitions.orders), toFollowing(transitions.orders, (id) => /updateOrder/i.test(id))],
    [
      differs((of) => of.downstream),
      { text: `Entries are processed ${downstream.processing} after the response.`, isAbout: isAsync },
    ],
    [
      rate !== undefined,
      {
        text: `A project may send ${rate?.requests} requests per ${rate?.per}.`,
        isAbout: all,
        status: statuses.limited,
      },
    ],
    [
      differs((of) => of.limits.body),
      { text: `The maximum of a body is ${limits.body}.`, isAbout: all, status: statuses.tooLarge },
    ],
  ];
  return choices.filter(([isShown]) => isShown).map(([, sentence]) => sentence);
}

function toReplaced(noun: string, list: RegExp): Sentence {
  const isAbout = (id: string) => list.test(id) && creates.test(id);
  return { text: `${noun} whose id exists is replaced.`, isAbout };
}

function toFollowing(following: Transitions, isAbout: Sentence['isAbout']): Sentence {
  const each = Object.entries(following).map(
    ([status, next]) => `${status} may be followed by ${next.length > 0 ? next.join(', ') : 'nothing'}`,
  );
  return { text: `Of the statuses, ${each.join('; ')}.`, isAbout };
}
