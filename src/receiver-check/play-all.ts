/** Plays every check against a receiver, and finds out which one broke it. */
import type { WallClock } from '../base/time.ts';
import { parseAllowList, refuseUrl } from '../callbacks/address.ts';
import { createSender, isUnreached, type Sender } from '../callbacks/send.ts';
import { defaultSecret } from '../callbacks/signature.ts';
import type { Check, Finding, Letter, Play } from './check.ts';
import { groups } from './groups/index.ts';
import { toUntaken } from './judge.ts';
import { callbackTypes, createLetters } from './letter.ts';
import { createPost } from './post.ts';

/** A receiver, and how it is checked. */
export interface ReceiverCheck {
  readonly url: string;
  /** As `parseSecret` takes it. */
  readonly secret: string;
  /** As `--callback-allow` takes them. */
  readonly allow: readonly string[];
  readonly wall: WallClock;
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** The wall time of one attempt; 10 s as the sandbox has it. */
  readonly attemptMs?: number;
  /** The wall time of all checks together. */
  readonly wholeMs?: number;
  /** Between the pieces of a slow body. */
  readonly pauseMs?: number;
}

/** A check, and what it came to. */
export interface CheckResult extends Omit<Check, 'play'> {
  readonly group: string;
  readonly outcome: 'passed' | 'failed' | 'left out';
  readonly note: string;
  /** Why no other check could tell anything after this. */
  readonly ends?: string;
  /** What to look at first then. */
  readonly hint?: string;
  readonly ms: number;
}

/** What all checks came to, or why none could be played: the address may not be called, or nobody is there. */
export type Checked =
  | { readonly results: readonly CheckResult[] }
  | { readonly refusal: string }
  | { readonly unreached: string };

const usualAttemptMs = 10_000;

/** How many checks there are. */
export const checkCount: number = groups.flatMap(({ checks }) => checks).length;

/** Plays the checks one after another, and tells of each as it ends. */
export async function checkReceiver(about: ReceiverCheck, tell: (result: CheckResult) => void): Promise<Checked> {
  const { url, allow, wall, attemptMs = usualAttemptMs, wholeMs = 180_000, signal } = about;
  const parsed = parseAllowList(allow);
  const refusal = parsed.ok ? refuseUrl(url, parsed.allow) : parsed.message;
  if (!parsed.ok || refusal !== undefined) return { refusal: refusal ?? '' };
  const sender = createSender({ allow: parsed.allow, timeoutMs: attemptMs });
  const end = (): void => void sender.close();
  let isOver = false;
  const cancel = wall.after(wholeMs, () => {
    isOver = true;
    end();
  });
  signal?.addEventListener('abort', end);
  const over = (): string | undefined => {
    if (signal?.aborted) return 'it was ended';
    return isOver ? `all checks together have taken more than ${wholeMs / 1000} s` : undefined;
  };
  try {
    return await playAll(createTable(about, sender), wall, over, tell);
  } finally {
    cancel();
    signal?.removeEventListener('abort', end);
    await sender.close();
  }
}

/** What checks are played with, and why the receiver is not there, where that was so at the last attempt. */
interface Table extends Play {
  readonly unreached: () => string | undefined;
  readonly isTaken: () => boolean;
}

function createTable(
  { url, secret, wall, attemptMs = usualAttemptMs, pauseMs = 500 }: ReceiverCheck,
  sender: Sender,
): Table {
  const make = createLetters(wall);
  const post = createPost({ url, secret, sender, wall });
  const [usual = 'jobs.import.failed'] = callbackTypes;
  let first: Letter | undefined;
  let unreached: string | undefined;
  const letter: Play['letter'] = (given = {}) => make(given.type ?? first?.type ?? usual, given);
  return {
    letter,
    post: async (sent, manner) => {
      const answer = await post(sent, manner);
      unreached = isUnreached(answer.outcome) && 'error' in answer.outcome ? answer.outcome.error : undefined;
      return answer;
    },
    attemptMs,
    pause: () => new Promise((done) => wall.after(pauseMs, done)),
    noteTaken: (taken) => {
      first = taken;
    },
    firstTaken: () => first ?? letter(),
    secretWords: secret === defaultSecret ? 'the published secret; --callback-secret gives another' : 'the one given',
    unreached: () => unreached,
    isTaken: () => first !== undefined,
  };
}

async function playAll(
  table: Table,
  wall: WallClock,
  over: () => string | undefined,
  tell: (result: CheckResult) => void,
): Promise<Checked> {
  const results: CheckResult[] = [];
  const all = groups.flatMap(({ name, checks }) => checks.map((check) => ({ group: name, check })));
  let ended: string | undefined;
  for (const { group, check } of all) {
    const startedMs = wall.elapsed();
    const finding = ended === undefined ? await playOne(check, table) : undefined;
    const unreached = table.unreached();
    if (results.length === 0 && unreached !== undefined) return { unreached };
    // What was cancelled found nothing.
    const late = over();
    ended ??= late;
    const found = finding && late === undefined ? finding : { leftOut: ended ?? '' };
    const result = toResult(group, check, found, wall.elapsed() - startedMs);
    ended ??= result.ends;
    results.push(result);
    tell(result);
  }
  return { results };
}

/** A check, and a valid callback after it: what a check has broken is found at that check, and not at the next. */
async function playOne(check: Check, table: Table): Promise<Finding> {
  const finding = await check.play(table);
  if (!table.isTaken() || (!finding.ok && finding.ends !== undefined)) return finding;
  const { outcome } = await table.post(table.letter());
  const untaken = toUntaken(outcome);
  if (untaken === undefined) return finding;
  const note = `${finding.note}; a valid one afterwards: ${untaken}`;
  return { ok: false, note, ends: `"${check.name}" has broken it: valid ones are not taken any more` };
}

function toResult(group: string, check: Check, found: Finding | { readonly leftOut: string }, ms: number): CheckResult {
  const { name, why, mend } = check;
  const common = { group, name, why, mend, ms };
  if ('leftOut' in found) return { ...common, outcome: 'left out', note: found.leftOut };
  if (found.ok) return { ...common, outcome: 'passed', note: found.note };
  const { ok: _, ...fault } = found;
  return { ...common, outcome: 'failed', ...fault };
}
