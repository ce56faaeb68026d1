/** Holds a scenario that another screen created, for the editor to open. */
import type { Schemas } from './client.ts';
import { readJson } from './response-body.ts';
import { createStore, type Store } from './store.ts';

export const draft: Store<string> = createStore('');

/** Returns a scenario that sends the same response to this kind of request again. */
export function toDraft({ operation, request, response, status, id }: Schemas['RequestSummary']): string {
  const body = readJson(response.body) ?? response.body ?? '';
  return [
    `# Created from ${request.method} ${request.url}`,
    `name: like-${id.replaceAll('_', '-').toLowerCase()}`,
    `description: ${JSON.stringify(`Responds to ${operation} with the response of request ${id}.`)}`,
    'rules:',
    '  - name: same response',
    `    when: ${JSON.stringify({ operation })}`,
    `    then: ${JSON.stringify({ respond: { status, body } })}`,
    '',
  ].join('\n');
}
