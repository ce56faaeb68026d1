/** What a user does with a project: moves its clock, forks, saves, restores or resets it. Each action reports its result. */
import { formatCount } from '../lib/format.ts';
import { ApiError, callApi, isLoginRequired, projectPath, type Schemas } from './api.ts';
import { acted } from './events.ts';
import { instant, readJson } from './format.ts';
import { confirmed } from './parts/dialog.tsx';
import type { IconName } from './parts/small.tsx';
import { forkProject, openProject } from './projects.ts';
import { linkTo } from './route.ts';
import { attempt, notice } from './state.ts';

/** The result of an action, as one or more lines. */
export interface Report {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly lines: readonly string[];
}

const done = (...lines: readonly string[]): Report => ({ kind: 'good', lines });

/** Runs an action. Returns its result or its error; undefined if the user cancelled it. */
export async function reported(action: () => Promise<Report | undefined>): Promise<Report | undefined> {
  try {
    const report = await action();
    acted();
    return report;
  } catch (error) {
    return { kind: 'bad', lines: error instanceof ApiError ? toLines(error) : [String(error)] };
  }
}

function toLines({ message, errors }: ApiError): readonly string[] {
  return errors.length === 0 ? [message] : errors.map(({ path, message: text }) => `${path}: ${text}`);
}

/** The steps of a frozen clock. */
export const steps = [
  { title: '+1 min', words: 'Advance the clock by 1 minute', body: { by: '1m' } },
  { title: '+10 min', words: 'Advance the clock by 10 minutes', body: { by: '10m' } },
  { title: '+1 h', words: 'Advance the clock by 1 hour', body: { by: '1h' } },
  { title: 'Until idle', words: 'Advance the clock until nothing is pending', body: { until: 'idle' } },
] as const;

/** Rates of a running clock. */
export const rates = [1, 10, 60] as const;

/** @throws {ApiError} if the clock is not frozen */
export async function advance(project: string, body: Schemas['Advance']): Promise<Report> {
  const { now } = await callApi<Schemas['AdvanceResult']>('POST', projectPath(project, '/clock/advance'), body);
  const path = projectPath(project, '/clock/advances');
  const { items } = await callApi<{ items: readonly [Schemas['ClockAdvance']] }>('GET', path);
  const { done: counts, failed, pending } = describeAdvance(items[0]);
  const all = [counts, failed, pending].filter((one) => one !== '').join(', ');
  return { kind: failed === '' ? 'good' : 'warn', lines: [`Advanced to ${instant(now)}: ${all}.`] };
}

export function isFailedAttempt({ kind, status = 0, error }: Schemas['WorkDone']): boolean {
  return kind === 'callback' && (error !== undefined || status >= 300);
}

/** Describes what an advance did. `failed`: the attempts that no receiver accepted, or an empty text. */
export function describeAdvance({ processed, delivered, inbox, failedAttempts, pending }: Schemas['ClockAdvance']) {
  const parts = [
    formatCount(processed, 'command'),
    `${delivered - inbox} delivered`,
    inbox > 0 && `${inbox} to the inbox`,
  ];
  return {
    done: parts.filter(Boolean).join(', '),
    failed: failedAttempts === 0 ? '' : formatCount(failedAttempts, 'failed attempt'),
    pending: `${pending} pending`,
  };
}

/** Freezes the clock, or lets it run; without a rate, at that of the sandbox. */
export async function setClock(project: string, change: Schemas['ClockChange']): Promise<Report> {
  const { mode, now, rate = 1 } = await callApi<Schemas['Clock']>('PUT', projectPath(project, '/clock'), change);
  const speed = mode === 'frozen' || rate === 1 ? '' : `, ${rate} times as fast as real time`;
  return done(`${mode === 'frozen' ? 'Frozen' : 'Running'} at ${instant(now)}${speed}.`);
}

/** Forks the present state, and shows the fork. */
async function fork(project: string): Promise<undefined> {
  const to = await forkProject(project);
  openProject(to);
  notice('good', `This is ${to}, a copy of ${project}.`);
}

/** Forks the state after a change, and shows the records of the fork. `when`: such as `after the request`. */
export function forkAt(project: string, change: number, when: string): Promise<boolean> {
  return attempt('', async () => {
    const to = await forkProject(project, change);
    location.hash = linkTo('records', { project: to });
    notice('good', `This is ${to}, a copy of ${project} as it was ${when}.`);
  });
}

/** Downloads a text as a file. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function downloadSnapshot(project: string): Promise<Report> {
  const snapshot = await callApi<Schemas['Snapshot']>('GET', projectPath(project, '/snapshot'));
  download(`${project}.snapshot.json`, 'application/json', JSON.stringify(snapshot, null, 2));
  return done(`Downloaded (${contentOf(snapshot)}).`);
}

async function downloadRecording(project: string): Promise<Report> {
  const recording = await callApi<Schemas['Recording']>('GET', projectPath(project, '/recording'));
  download(`${project}.recording.json`, 'application/json', JSON.stringify(recording, null, 2));
  const summary = `Downloaded (${formatCount(recording.changes.length, 'change')}).`;
  if (recording.complete) return done(summary);
  const why = recording.incomplete ?? 'the journal has dropped entries';
  return { kind: 'warn', lines: [summary, `The recording is incomplete and cannot be replayed: ${why}.`] };
}

/** Asks for a file with a snapshot, and then restores it. */
async function chooseSnapshot(project: string): Promise<Report | undefined> {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.json,application/json';
  input.click();
  await new Promise((resolve) => input.addEventListener('change', resolve));
  const file = input.files?.[0];
  return file && restoreSnapshot(project, file);
}

/** The sandbox checks the snapshot. A file that is none is refused before the question. */
async function restoreSnapshot(project: string, file: File): Promise<Report | undefined> {
  const snapshot = readJson(await file.text()) as Partial<Schemas['Snapshot']> | null | undefined;
  if (!Array.isArray(snapshot?.jobs))
    return { kind: 'bad', lines: [`${file.name} is not a snapshot: it has no list of jobs.`] };
  const isSure = await confirmed({
    title: `Restore ${file.name} in ${project}?`,
    text: `Replaces all records of ${project} with ${contentOf(snapshot)} and cancels pending work. Requests, clock and scenarios are kept.`,
    action: 'Restore',
  });
  if (!isSure) return undefined;
  const result = await callApi<Schemas['RestoreResult']>('PUT', projectPath(project, '/snapshot'), snapshot);
  return done(`Restored: ${contentOf(result.restored)}.`, describeCancelled(result.cancelled));
}

const nouns = { jobs: 'job', orders: 'order', routes: 'route', users: 'user', locations: 'device' } as const;

/** Counts the records of each kind, either in a snapshot or in the counts that a restore returns. */
function contentOf(records: object): string {
  const counts = Object.entries(nouns).flatMap(([key, noun]) => {
    const value = (records as Record<string, unknown>)[key];
    const count = Array.isArray(value) ? value.length : Number(value ?? 0);
    return count > 0 ? [formatCount(count, noun)] : [];
  });
  return counts.length === 0 ? 'no records' : counts.join(', ');
}

/** Without a project, all are reset. */
async function reset(project: string): Promise<Report | undefined> {
  const what = project === '' ? 'all projects' : project;
  const isSure = await confirmed({
    title: `Reset ${what}?`,
    text: `Deletes the records, requests and callbacks of ${what}, and cancels pending work. Restores the defaults of clock, scenarios and callback endpoint. Running tests lose their data.`,
    action: `Reset ${what}`,
  });
  if (!isSure) return undefined;
  const { cancelled } = await callApi<Schemas['ResetResult']>('POST', projectPath(project, '/reset'));
  return done(project === '' ? 'All projects were reset.' : `${project} was reset.`, describeCancelled(cancelled));
}

function describeCancelled({ instructions, callbacks }: Schemas['Cancelled']): string {
  if (instructions + callbacks === 0) return 'Nothing was pending.';
  return `Cancelled: ${formatCount(instructions, 'instruction')}, ${formatCount(callbacks, 'callback')}.`;
}

interface StateAction {
  readonly title: string;
  readonly icon: IconName;
  /** Further words that find it. */
  readonly words: string;
  readonly isDanger?: boolean;
  readonly run: () => Promise<Report | undefined>;
}

/** What a user can do with the state of a project. */
export function stateActions(project: string): readonly StateAction[] {
  const action = (title: string, icon: IconName, words: string, run: (of: string) => Promise<Report | undefined>) => ({
    ...{ title, icon, words },
    run: () => run(project),
  });
  return [
    action('Download snapshot', 'download', 'save records state export', downloadSnapshot),
    action('Download recording', 'download', 'save history replay export', downloadRecording),
    action('Restore snapshot…', 'upload', 'load records state import', chooseSnapshot),
    action(`Fork ${project} from now`, 'git-fork', 'copy project', fork),
    { ...action(`Reset ${project}…`, 'rotate-ccw', 'delete clear', reset), isDanger: true },
  ];
}

export const resetAll: StateAction = {
  title: 'Reset all projects…',
  icon: 'rotate-ccw',
  words: 'delete',
  isDanger: true,
  run: () => reset(''),
};

/** Ends the session of an API key. */
export async function logOut(): Promise<void> {
  if (await attempt('', () => callApi('DELETE', '/session'))) isLoginRequired.value = true;
}
