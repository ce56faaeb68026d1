/** Converts requests and settings of the journal to text and back, for servers that hand projects over. */
import type { Warning } from '../lib/problem.ts';
import type { Applied } from '../records/records.ts';
import type { Explained } from '../scenarios/explain.ts';
import type { JournalEntry, JournalItem, SettingEntry } from './entry.ts';

/** Maximum number of writes that are stored of a request. */
const maxWrites = 100;

/** A request as text. Its explanations are final. */
interface StoredRequest extends Omit<JournalEntry, 'requestBody' | 'explain' | 'warnings'> {
  readonly requestBody: { readonly size: number; readonly shown: string; readonly again?: string } | undefined;
  readonly warnings: readonly Warning[];
  readonly rules: readonly Explained[];
}

export function toItemText(item: JournalItem): string {
  if ('setting' in item) return JSON.stringify(item);
  const { requestBody: body, explain, applied, ...entry } = item.request;
  const stored: StoredRequest = {
    ...entry,
    applied: applied.map(toStoredApplied),
    requestBody: body && { size: body.size, ...body.read() },
    rules: explain(),
  };
  return JSON.stringify({ number: item.number, request: stored });
}

/** @throws SyntaxError if the text is not JSON */
export function fromItemText(text: string): JournalItem {
  const item = JSON.parse(text) as { number: number } & ({ request: StoredRequest } | { setting: SettingEntry });
  if ('setting' in item) return item;
  const { rules, requestBody: body, warnings, ...entry } = item.request;
  return {
    number: item.number,
    request: {
      ...entry,
      warnings: [...warnings],
      requestBody: body && { size: body.size, read: () => body },
      explain: () => rules,
    },
  };
}

/** What a request of many entries wrote would make its row as large again as its body. */
function toStoredApplied(applied: Applied): Applied {
  return applied.writes.length > maxWrites ? { ...applied, writes: [], replaced: [] } : applied;
}
