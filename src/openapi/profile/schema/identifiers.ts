/** The schemas of `identifiers`, and the checks of paths that depend on the places of identifiers. */
import { z } from 'zod';
import { nearest } from '../../../lib/nearest.ts';
import { valueAt } from '../../../lib/pointer.ts';
import { isSecretName } from '../../../lib/secret-name.ts';
import { identifierNames, parameterNames, placeOf, splitPlace, toPlace, toRouteKey } from '../places.ts';
import type { OperationFacts, OperationOverride, Profile } from '../profile.ts';
import { partial } from './pieces.ts';

const help =
  'expected path, query, body, query:NAME, body:NAME or header:NAME, such as header:x-project or body:customerCode';

/** Headers that have another meaning, or that clients and proxies set. */
const reservedHeaders = new Set(
  [
    'accept accept-encoding apikey connection content-encoding content-length content-type date expect forwarded host',
    'keep-alive origin range referer te trailer transfer-encoding upgrade user-agent via x-request-id',
  ].flatMap((names) => names.split(' ')),
);

const place = z.string().superRefine((text, context) => {
  const message = checkPlace(text);
  if (message !== undefined)
    context.addIssue({ code: 'custom', message, params: { candidates: ['path', 'query', 'body'] } });
});

function checkPlace(text: string): string | undefined {
  if (['path', 'query', 'body'].includes(text)) return undefined;
  if (/^(?:query|body):[A-Za-z_][\w.-]*$/.test(text)) return undefined;
  const header = /^header:([!#$%&'*+.^_`|~\w-]+)$/.exec(text)?.[1]?.toLowerCase();
  if (header === undefined) return help;
  if (reservedHeaders.has(header) || /^(x-sandbox|sec|proxy)-/.test(header)) {
    return 'expected a header without another meaning';
  }
  return isSecretName(header)
    ? 'expected a header whose name is not that of a secret, because the journal masks secrets'
    : undefined;
}

/** Creates the schema of the places of these identifiers. */
export function createIdentifiersSchema(names: readonly string[]): z.ZodType {
  return partial(Object.fromEntries(names.map((name) => [name, place])));
}

export const identifiersSchema: z.ZodType = createIdentifiersSchema(identifierNames);

type Path = readonly string[];
type Mistake = { readonly path: Path; readonly message: string };
type Places = Pick<Profile, 'basePath' | 'identifiers' | 'operations'>;

/** Checks all paths of a profile against the places of their identifiers. Runs although other values are invalid. */
export function createPathsCheck(facts: ReadonlyMap<string, OperationFacts>): z.core.$ZodCheck<unknown> {
  const check = z.superRefine((value, context) => {
    for (const { path, message } of findPathMistakes(value, facts)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
  check._zod.def.when = () => true;
  return check;
}

const text = z.string().optional().catch(undefined);
const texts = z.record(z.string(), text).catch({});
const override = z.object({ method: text, path: text, identifiers: texts }).catch({ identifiers: {} });

/** Reads the parts of a profile that have the right type. Other checks report those that have not. */
const placesSchema = z
  .object({
    basePath: z.string().catch(''),
    identifiers: texts,
    operations: z.record(z.string(), override).catch({}),
  })
  .catch({ basePath: '', identifiers: {}, operations: {} });

function findPathMistakes(given: unknown, facts: ReadonlyMap<string, OperationFacts>): readonly Mistake[] {
  const profile = placesSchema.parse(given) as Places;
  const mistakes: Mistake[] = [];
  const taken = new Map<string, string>();
  for (const [id, fact] of facts) {
    const override = profile.operations[id] ?? {};
    const { path, moved } = toPlace(fact.path, override, profile);
    const own = checkParameters(id, override, fact, profile) ?? checkNames(id, override, moved, fact);
    if (own) mistakes.push(own);
    const method = override.method ?? fact.method;
    const key = toRouteKey(method, path);
    const other = taken.get(key);
    taken.set(key, other ?? id);
    if (own || other === undefined) continue;
    const shared = `${id} and ${other} must differ in method or path, got ${method.toUpperCase()} ${path} for both`;
    mistakes.push({
      path: causeOf([id, other], given),
      message: `${shared}; set operations.${id}.path or .method`,
    });
  }
  return mistakes;
}

/** Checks that a path has exactly the parameters that are in the path or the query. */
function checkParameters(
  id: string,
  override: OperationOverride,
  { parameters }: OperationFacts,
  profile: Places,
): Mistake | undefined {
  if (override.path === undefined) return undefined;
  const [path = '', query = ''] = override.path.split('?');
  const at = ['operations', id, 'path'];
  const found = parameterNames(override.path);
  for (const name of parameters) {
    const expected = placeOf(name, override, profile);
    const isInPath = path.includes(`{${name}}`);
    const isInQuery = query.includes(`{${name}}`);
    if (expected === 'path' && !isInPath && !isInQuery) {
      const isMeant = found.some((other) => !parameters.includes(other) && nearest(other, [name]) !== undefined);
      const guess = isMeant ? `\n, did you mean {${name}}?` : '';
      return { path: at, message: `expected the parameter {${name}} in the path or its query${guess}` };
    }
    if ((isInPath && expected !== 'path') || (isInQuery && expected !== 'path' && !expected.startsWith('query'))) {
      const remedy = `remove it, or set operations.${id}.identifiers.${name}: path`;
      return {
        path: at,
        message: `expected a path without {${name}}, which \`identifiers\` places in ${expected}: ${remedy}`,
      };
    }
  }
  const allowed = parameters.filter((name) => /^(?:path$|query)/.test(placeOf(name, override, profile)));
  const unknown = found.find((name) => !allowed.includes(name));
  if (unknown !== undefined) return { path: at, message: toUnknownMessage(unknown, allowed) };
  return found.length > new Set(found).size ? { path: at, message: 'expected each parameter once' } : undefined;
}

function toUnknownMessage(unknown: string, allowed: readonly string[]): string {
  if (allowed.length === 0) return `expected no parameters, not {${unknown}}`;
  return `expected only the parameters ${allowed.map((name) => `{${name}}`).join(', ')}, not {${unknown}}`;
}

/** Checks that no two identifiers of an operation have the same place. */
function checkNames(
  id: string,
  override: OperationOverride,
  moved: Readonly<Record<string, string>>,
  { fields }: OperationFacts,
): Mistake | undefined {
  const seen = new Map<string, string>();
  for (const [name, at] of Object.entries(moved)) {
    const [kind, as = ''] = splitPlace(at, name);
    const place = `${kind}:${as}`;
    const other = seen.get(place);
    seen.set(place, name);
    const isField = kind === 'body' && as !== name && fields.includes(as);
    if (other === undefined && !isField) continue;
    const own = override.identifiers && name in override.identifiers;
    const path = own
      ? ['operations', id, 'identifiers', name]
      : override.path
        ? ['operations', id, 'path']
        : ['identifiers', name];
    const message = isField
      ? `there are bodies with a field ${as} of their own; choose another name`
      : `${other} and ${name} have the same place, ${at}; give them different places`;
    return { path, message };
  }
  return undefined;
}

/** Returns the key of a profile that gave one of two operations its path and method. */
function causeOf(ids: readonly string[], given: unknown): Path {
  const own = ids.flatMap((id) => ['path', 'method', 'identifiers'].map((key) => ['operations', id, key]));
  return [...own, ['identifiers']].find((path) => valueAt(given, path) !== undefined) ?? [];
}
