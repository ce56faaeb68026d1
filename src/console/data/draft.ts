/** Holds a scenario that another screen created, for the editor to open. */
import type { Schemas } from './client.ts';
import { createStore, type Store } from './store.ts';

export const draft: Store<string> = createStore('');

/** Returns a scenario that sends the same response to this kind of request again. */
export function toDraft({ operation, request, response, status, id }: Schemas['RequestSummary']): string {
  const scenario = {
    name: `like-${id.replaceAll('_', '-')}`.toLowerCase(),
    description: `Responds to ${operation} with the response of request ${id}.`,
    rules: [
      { name: 'same response', when: { operation }, then: { respond: { status, body: readBody(response.body) } } },
    ],
  };
  const [when, then] = [JSON.stringify({ operation }), JSON.stringify(scenario.rules[0]?.then)];
  return [
    `# Created from ${request.method} ${request.url}`,
    `name: ${scenario.name}`,
    `description: ${JSON.stringify(scenario.description)}`,
    'rules:',
    '  - name: same response',
    `    when: ${when}`,
    `    then: ${then}`,
    '',
  ].join('\n');
}

function readBody(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return body ?? '';
  }
}
