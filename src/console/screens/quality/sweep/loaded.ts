/** The file that the user has chosen. It stays in the browser, while other screens are open too, until the session ends. */
import type { ParsedSweep } from '../../../../sweep-report/parse.ts';
import type { SweepReport } from '../../../../sweep-report/report.ts';
import { onSessionEnd } from '../../../data/session-end.ts';
import { createStore, type Store } from '../../../data/store.ts';

interface LoadedFile {
  readonly name: string;
  readonly parsed: ParsedSweep;
}

export const loaded: Store<LoadedFile | undefined> = createStore<LoadedFile | undefined>(undefined);

/** Returns the sweep of the chosen file; undefined without a file, and if it is not the report of a sweep. */
export function loadedReport(): SweepReport | undefined {
  const file = loaded.get();
  return file && 'report' in file.parsed ? file.parsed.report : undefined;
}

/** The user's command, for the commands that repeat cases: the file does not have it. */
export const command: Store<string> = createStore('');

onSessionEnd(() => {
  loaded.set(undefined);
  command.set('');
});

export async function loadFile(file: File): Promise<void> {
  loaded.set({ name: file.name, parsed: await parseFile(file) });
}

async function parseFile(file: File): Promise<ParsedSweep> {
  try {
    const { parseText } = await import('./parse-text.ts');
    return await parseText(await file.text());
  } catch {
    return { mistakes: ['the browser cannot read this file; check that the sandbox is running, and choose it again'] };
  }
}
