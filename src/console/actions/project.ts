/** What a user does with a whole project: forks, saves, restores or resets it. Each action describes its result. */

import { formatCount } from '../../lib/format.ts';
import { ApiError, callApi, isLoginRequired, projectPath, type Schemas } from '../api.ts';
import { confirmed } from '../parts/confirm.tsx';
import { download } from '../parts/download.ts';
import { forkProject, openProject } from '../projects.ts';
import { attempt, notice } from '../state.ts';
import { contentOf, readSnapshot } from './snapshot.ts';

/** The result of an action, as one or more lines. */
export interface Report {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly lines: readonly string[];
}

/** Runs an action. Returns its result or its error; undefined if the user cancelled it. */
export async function reported(action: () => Promise<Report | undefined>): Promise<Report | undefined> {
  try {
    return await action();
  } catch (error) {
    return { kind: 'bad', lines: error instanceof ApiError ? toLines(error) : [String(error)] };
  }
}

/** Forks the present state, and shows the fork. */
export async function fork(project: string): Promise<undefined> {
  const to = await forkProject(project);
  openProject(to);
  notice('good', `This is ${to}, a copy of ${project}.`);
}

export async function downloadSnapshot(project: string): Promise<Report> {
  const snapshot = await callApi<Schemas['Snapshot']>('GET', projectPath(project, '/snapshot'));
  download(`${project}.snapshot.json`, 'application/json', JSON.stringify(snapshot, null, 2));
  return { kind: 'good', lines: [`Downloaded (${contentOf(snapshot)}).`] };
}

export async function downloadRecording(project: string): Promise<Report> {
  const recording = await callApi<Schemas['Recording']>('GET', projectPath(project, '/recording'));
  download(`${project}.recording.json`, 'application/json', JSON.stringify(recording, null, 2));
  const summary = `Downloaded (${formatCount(recording.changes.length, 'change')}).`;
  if (recording.complete) return { kind: 'good', lines: [summary] };
  const why = recording.incomplete ?? 'the journal has dropped entries';
  return { kind: 'warn', lines: [summary, `The recording is incomplete and cannot be replayed: ${why}.`] };
}

/** Asks for a file with a snapshot, and then restores it. */
export function chooseSnapshot(project: string, show: (report: Report | undefined) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.json,application/json';
  input.addEventListener('change', async () => {
    const file = input.files?.[0];
    if (file) show(await reported(() => restoreSnapshot(project, file)));
  });
  input.click();
}

async function restoreSnapshot(project: string, file: File): Promise<Report | undefined> {
  const parsed = readSnapshot(await file.text());
  if ('errorText' in parsed) return { kind: 'bad', lines: [`${file.name} is not a snapshot: ${parsed.errorText}.`] };
  const { snapshot } = parsed;
  const isSure = await confirmed({
    title: `Restore ${file.name} in ${project}?`,
    text: `Replaces all records of ${project} with ${contentOf(snapshot)} and cancels pending work. Requests, clock and scenarios are kept.`,
    action: 'Restore',
    isDanger: true,
  });
  if (!isSure) return undefined;
  const result = await callApi<Schemas['RestoreResult']>('PUT', projectPath(project, '/snapshot'), snapshot);
  return { kind: 'good', lines: [`Restored: ${contentOf(result.restored)}.`, describeCancelled(result.cancelled)] };
}

export async function resetProject(project: string): Promise<Report | undefined> {
  const isSure = await confirmed({
    title: `Reset ${project}?`,
    text: 'Deletes records, requests and callbacks, and cancels pending work. Restores the defaults of clock, scenarios and callback endpoint.',
    action: `Reset ${project}`,
    isDanger: true,
  });
  if (!isSure) return undefined;
  const { cancelled } = await callApi<Schemas['ResetResult']>('POST', projectPath(project, '/reset'));
  return { kind: 'good', lines: [`${project} was reset.`, describeCancelled(cancelled)] };
}

export async function resetAllProjects(): Promise<Report | undefined> {
  const isSure = await confirmed({
    title: 'Reset all projects?',
    text: 'Deletes the records, requests and callbacks of all projects, and cancels pending work. Running tests that use this sandbox lose their data.',
    action: 'Reset all projects',
    isDanger: true,
  });
  if (!isSure) return undefined;
  const { projects, cancelled } = await callApi<Schemas['ResetAllResult']>('POST', '/reset');
  return { kind: 'good', lines: [`Reset ${formatCount(projects, 'project')}.`, describeCancelled(cancelled)] };
}

function describeCancelled({ instructions, callbacks }: Schemas['Cancelled']): string {
  if (instructions + callbacks === 0) return 'Nothing was pending.';
  return `Cancelled: ${formatCount(instructions, 'instruction')}, ${formatCount(callbacks, 'callback')}.`;
}

function toLines({ message, errors }: ApiError): readonly string[] {
  return errors.length === 0 ? [message] : errors.map(({ path, message: text }) => `${path} ${text}`);
}

/** Ends the session of an API key. */
export async function logOut(): Promise<void> {
  if (await attempt('', () => callApi('DELETE', '/session'))) isLoginRequired.value = true;
}
