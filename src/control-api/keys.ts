/** Control API handlers for sessions, and for the API keys that are created at run time. */
import { isGlob, withoutRegion } from '../keys/api-key.ts';
import type { NewKey, StoredKey } from '../keys/key-store.ts';
import type { Violation } from '../lib/problem.ts';
import { parseTimestamp, toTimestamp } from '../lib/time.ts';
import { toSessionCookie } from './caller.ts';
import { type ControlHandlers, noContent, ok, reject, type Schema, toUnsaved } from './handler.ts';
import { answerList } from './lists/answer.ts';

/** Maximum number of keys that were created at run time. */
const maxKeys = 10_000;

/** Shows a key without its hash, with the fields of the document in their order. */
function showKey(key: StoredKey): Schema<'ApiKey'> {
  const { id, projects, region, label, expiresAt, limits, createdAt, lastUsedAt } = key;
  return { id, projects, region, label, expiresAt, limits, createdAt, lastUsedAt };
}

/** Finds the mistakes that depend on more than the form of a value. */
function findMistakes(
  { projects, expiresAt, limits }: NewKey,
  { now, separatesRegions }: { readonly now: number; readonly separatesRegions: boolean },
): readonly Violation[] {
  const mistakes: Violation[] = [];
  for (const [index, id] of separatesRegions ? projects.entries() : []) {
    const name = withoutRegion(id);
    if (name === id) continue;
    const message = `expected the id without its region; got ${id}. Send ${name}, and "region": "${id.slice(name.length + 1)}"`;
    mistakes.push({ path: `/projects/${index}`, message });
  }
  if (expiresAt !== undefined && (parseTimestamp(expiresAt) ?? 0) <= now)
    mistakes.push({
      path: '/expiresAt',
      message: `must be after the present time, ${toTimestamp(now)}; got ${expiresAt}`,
    });
  if (limits?.projects !== undefined && (projects.includes('*') || !projects.some(isGlob)))
    mistakes.push({
      path: '/limits/projects',
      message: 'only limits keys whose `projects` have a pattern such as `acme-*`; leave it out',
    });
  return mistakes;
}

export const keyHandlers: ControlHandlers<'createKey' | 'listKeys' | 'deleteKey'> = {
  createKey: async (parts, { body }) => {
    const { wall, profile } = parts;
    const errors = findMistakes(body, { now: wall.now(), separatesRegions: profile.regions.separate });
    const [first] = errors;
    if (first) return { problem: { kind: 'invalid', message: `${first.path}: ${first.message}`, errors } };
    if (parts.keys.list().length >= maxKeys) {
      const max = maxKeys.toLocaleString('en');
      return reject('conflict', `the server stores at most ${max} keys: DELETE keys that are no longer needed`);
    }
    const created = await parts.keys.create(body).catch((error) => toUnsaved(parts, error));
    if ('kind' in created) return { problem: created };
    const { id, ...shown } = showKey(created);
    return { status: 201, body: { id, key: created.key, ...shown }, headers: { 'cache-control': 'no-store' } };
  },

  listKeys: (parts, request) => {
    const numberOf = ({ number = 0 }: StoredKey): number => number;
    return answerList(parts, request, { items: parts.keys.list, numberOf, show: showKey });
  },

  deleteKey: async (parts, { params: { id } }) => {
    if (!parts.keys.list().some((key) => key.id === id)) {
      const message = `no key has the id ${id}: GET /_sandbox/keys lists those that were created at run time; the keys of --api-key cannot be deleted`;
      return reject('notFound', message);
    }
    const problem = await parts.keys.remove(id).catch((error) => toUnsaved(parts, error));
    return problem ? { problem } : noContent;
  },
};

export const sessionHandlers: ControlHandlers<'getSession' | 'login' | 'logout'> = {
  getSession: ({ keys, session }, { caller }) => {
    const { key } = caller;
    if (!key) return ok({ admin: true, projects: null, ...(session.isRequired && { login: true }) });
    const created = keys.list().find(({ id }) => id === key.id);
    const { label, expiresAt, limits } = created ?? {};
    const names = key.grants.flatMap(({ projects = [] }) => projects);
    return ok({ admin: false, projects: [...new Set(names)], label, expiresAt, limits });
  },
  login: ({ session }, { body, isSecure }) => {
    const cookie = session.login(body, isSecure);
    if (typeof cookie !== 'string') return { problem: cookie };
    return { status: 204, body: undefined, headers: { 'set-cookie': cookie } };
  },
  logout: (_parts, { isSecure }) => ({
    status: 204,
    body: undefined,
    headers: { 'set-cookie': `${toSessionCookie('', isSecure)}; Max-Age=0` },
  }),
};
