/** Control API handlers for sessions, and for the API keys that are created at run time. */
import { toUnsavedProblem } from '../http/reply.ts';
import { toProjectNames } from '../keys/api-key.ts';
import type { NewKey, StoredKey } from '../keys/key-store.ts';
import type { Problem, Violation } from '../lib/problem.ts';
import { parseTimestamp, toTimestamp } from '../lib/time.ts';
import type { components } from '../openapi/control.gen.ts';
import { toSessionCookie } from './caller.ts';
import { type ControlHandlers, type ControlParts, noContent, ok, reject } from './handler.ts';
import { answerList } from './lists/answer.ts';

/** Maximum number of keys that were created at run time. */
const maxKeys = 10_000;

/** Shows a key without its hash, with the fields of the document in their order. */
function showKey(key: StoredKey): components['schemas']['ApiKey'] {
  const { id, projects, region, label, expiresAt, limits, createdAt, lastUsedAt } = key;
  return {
    id,
    projects: [...projects],
    ...(region !== undefined && { region }),
    ...(label !== undefined && { label }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(limits && { limits: { ...limits } }),
    createdAt,
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  };
}

/** Finds the mistakes that depend on more than the form of a value. */
function findMistakes({ projects, expiresAt, limits }: NewKey, now: number): readonly Violation[] {
  const mistakes: Violation[] = [];
  if (expiresAt !== undefined && (parseTimestamp(expiresAt) ?? 0) <= now)
    mistakes.push({
      path: '/expiresAt',
      message: `must be after the present time, ${toTimestamp(now)}; got ${expiresAt}`,
    });
  if (limits?.projects !== undefined && !toProjectNames(projects)?.globs.length)
    mistakes.push({
      path: '/limits/projects',
      message: 'only limits keys whose `projects` have a pattern such as `acme-*`; leave it out',
    });
  return mistakes;
}

/** Stores a change of the keys. Returns the problem if that fails; then nothing has changed. */
async function store<Result>(
  parts: ControlParts,
  change: () => Promise<Result>,
): Promise<Result | { problem: Problem }> {
  try {
    return await change();
  } catch (error) {
    const id = parts.createRequestId();
    parts.logUnsaved(id, error);
    return { problem: toUnsavedProblem(id) };
  }
}

export const keyHandlers: ControlHandlers<'createKey' | 'listKeys' | 'deleteKey'> = {
  createKey: async (parts, { body }) => {
    const wanted = body as NewKey;
    const errors = findMistakes(wanted, parts.wall.now());
    const [first] = errors;
    if (first) return { problem: { kind: 'invalid', message: `${first.path}: ${first.message}`, errors } };
    if (parts.keys.list().length >= maxKeys) {
      const max = maxKeys.toLocaleString('en');
      return reject('conflict', `the server stores at most ${max} keys: DELETE keys that are no longer needed`);
    }
    const created = await store(parts, () => parts.keys.create(wanted));
    if ('problem' in created) return created;
    const { id, ...shown } = showKey(created);
    return { status: 201, body: { id, key: created.key, ...shown }, headers: { 'cache-control': 'no-store' } };
  },

  listKeys: (parts, request) => answerList(parts, request, { items: parts.keys.list, show: showKey }),

  deleteKey: async (parts, { params }) => {
    const id = params['id'] ?? '';
    if (!parts.keys.list().some((key) => key.id === id)) return reject('notFound', toUnknown(id));
    const removed = await store(parts, () => parts.keys.remove(id));
    return removed ?? noContent;
  },
};

function toUnknown(id: string): string {
  return `no key has the id ${id}: GET /_sandbox/keys lists those that were created at run time; the keys of --api-key cannot be deleted`;
}

export const sessionHandlers: ControlHandlers<'getSession' | 'login' | 'logout'> = {
  getSession: ({ keys }, { caller }) => {
    const { key } = caller;
    if (!key) return ok({ admin: true, projects: null });
    const created = keys.list().find(({ id }) => id === key.id);
    const { label, expiresAt, limits } = created ? showKey(created) : {};
    const names = key.grants.flatMap(({ projects }) => (projects ? [...projects.exact, ...projects.globs] : []));
    return ok({
      admin: false,
      projects: [...new Set(names)],
      ...(label !== undefined && { label }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(limits && { limits }),
    });
  },
  login: ({ session }, { body, isSecure }) => {
    const cookie = session.login(body as { token?: string; apikey?: string }, isSecure);
    if (typeof cookie !== 'string') return { problem: cookie };
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie } };
  },
  logout: (_parts, { isSecure }) => ({
    status: 204,
    body: undefined,
    headers: { 'set-cookie': `${toSessionCookie('', isSecure)}; Max-Age=0` },
  }),
};
