/** Merges what all replicas find, and the projects that no replica has in memory. */
import type { ControlRequest } from '../../control-api/handler.ts';
import { mergeResults, type SearchQuery, type SearchResult } from '../../control-api/search/found.ts';
import { type Reply, toJsonReply } from '../../http/reply.ts';
import type { ClusterDatabase } from '../database/cluster-database.ts';
import { type AskOthers, readBody } from './ask-others.ts';
import { toForwarded } from './question.ts';

interface Parts {
  readonly database: Pick<ClusterDatabase, 'listProjects'>;
  readonly ask: AskOthers;
}

/** Says that servers did not take part: during an update, some have a version without the operation. */
const incompleteHeader = 'x-sandbox-incomplete';

/** Maximum number of projects whose ids are searched. */
const maxProjects = 10_000;

export async function searchAll({ database, ask }: Parts, request: ControlRequest, own: Reply): Promise<Reply> {
  const query = request.query as unknown as SearchQuery;
  const others = await ask({ about: 'same', id: 'search', request: toForwarded(request) });
  const answers = others.filter(({ status }) => status === 200);
  const found = [own, ...answers].map((reply) => readBody<{ readonly items: readonly SearchResult[] }>(reply).items);
  const text = query.q.toLowerCase();
  const stored = await database.listProjects(-1, maxProjects);
  const projects = stored
    .filter(({ id }) => id.toLowerCase().includes(text) && request.caller.mayUse(id))
    .map(({ id }) => ({ kind: 'project' as const, id }));
  const missing = others.length - answers.length;
  const headers = missing > 0 ? { [incompleteHeader]: `servers of another version: ${missing}` } : undefined;
  return toJsonReply(200, { items: mergeResults([...found, projects], query) }, headers);
}
