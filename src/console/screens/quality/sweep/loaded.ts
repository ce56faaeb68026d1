/** The file that the user has chosen. It stays in the browser, while other screens are open too, until the session ends. */
import { config } from 'zod/mini';
import type { ParsedSweep } from '../../../../sweep-report/parse.ts';
import { onSessionEnd } from '../../../data/session-end.ts';
import { createStore, type Store } from '../../../data/store.ts';

interface LoadedFile {
  readonly name: string;
  readonly parsed: ParsedSweep;
}

export const loaded: Store<LoadedFile | undefined> = createStore<LoadedFile | undefined>(undefined);

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
  // The page's policy blocks compiled checks. They are chosen when a schema is created, which the import does.
  config({ jitless: true });
  try {
    const { parseSweepText } = await import('../../../../sweep-report/parse.ts');
    return parseSweepText(await file.text());
  } catch {
    return { mistakes: ['the browser cannot read this file; check that the sandbox is running, and choose it again'] };
  }
}
