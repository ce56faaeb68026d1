/** Collects the stray requests that name a project from all other replicas: each has those that it has received. */
import type { Reply } from '../../http/reply.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { fromItemText, toItemText } from '../../journal/stored-entry.ts';
import type { WallClock } from '../../lib/time.ts';
import type { Membership } from '../membership.ts';
import { readBody } from './ask-others.ts';
import type { Question } from './question.ts';

interface Parts {
  readonly membership: Pick<Membership, 'others' | 'listOthers'>;
  readonly wall: WallClock;
  /** Asks a replica. Returns undefined if it does not answer. */
  open(url: string, question: Question, signal: AbortSignal): Promise<Reply | undefined>;
}

/** How long a list or a reset waits for other replicas: both are useful without their stray requests. */
const patienceMs = 3000;

export async function listOtherStrays(parts: Parts, project: string): Promise<readonly JournalEntry[]> {
  const replies = await askSoon(parts, { about: 'strays', project });
  return replies.flatMap((reply) => (reply?.status === 200 ? readBody<string[]>(reply).flatMap(toRequest) : []));
}

/** Makes all other replicas drop the stray requests that name a project. */
export async function dropOtherStrays(parts: Parts, project: string): Promise<void> {
  await askSoon(parts, { about: 'drop-strays', project });
}

async function askSoon({ membership, wall, open }: Parts, question: Question): Promise<readonly (Reply | undefined)[]> {
  const abort = new AbortController();
  const cancel = wall.after(patienceMs, () => abort.abort());
  // One may have joined since the last beat.
  const others = await membership.listOthers().catch(membership.others);
  const replies = await Promise.all(others.map(({ url }) => open(url, question, abort.signal)));
  cancel();
  return replies;
}

function toRequest(text: string): readonly JournalEntry[] {
  const item = fromItemText(text);
  return 'request' in item ? [item.request] : [];
}

/** Returns this replica's stray requests that name a project, as texts. */
export function toStrayTexts(journal: Pick<Journal, 'strays'>, project: string): readonly string[] {
  return journal.strays(project).map((request) => toItemText({ number: request.number, request }));
}
