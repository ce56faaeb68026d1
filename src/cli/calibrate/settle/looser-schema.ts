/** Settles values that the document rejects and the real API accepts: an overlay extends or removes the keyword. */

import { operations } from '../../../operations/index.ts';
import { failuresOf } from '../compare/entries.ts';
import { type Rejection, readRejection } from '../compare/rejection.ts';
import { groupBy, isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import { findSchema, typeOf, typesOf, valuesAt } from './schema-target.ts';
import { entriesOf, type OverlayAction, type Proposal, type Settler } from './settler.ts';

interface Rejected {
  readonly operation: string;
  readonly rejection: Rejection;
  readonly values: readonly unknown[];
}

export const settleLooserSchemas: Settler = ({ cases }) => {
  const found = cases.flatMap(toRejected);
  const groups = groupBy(found, ({ operation, rejection }) =>
    JSON.stringify([operation, rejection.path, rejection.kind]),
  );
  const proposals = [...groups.values()].flatMap((group): readonly Proposal[] => {
    const [first] = group;
    const actions = first
      ? toActions(
          first,
          group.flatMap(({ values }) => values),
        )
      : [];
    if (!first || actions.length === 0) return [];
    return [
      {
        text: `overlay: ${actions.map(describeAction).join('; ')}`,
        actions,
        isGuess: true,
        settles: ({ operation, kind, expected }) =>
          operation === first.operation && kind === first.rejection.kind && expected === first.rejection.expected,
      },
    ];
  });
  return mergeEqual(proposals);
};

/** Merges proposals of operations that share a schema. */
function mergeEqual(proposals: readonly Proposal[]): readonly Proposal[] {
  return [...groupBy(proposals, ({ text }) => text).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, settles: (finding) => [first, ...others].some((one) => one.settles(finding)) }] : [],
  );
}

function describeAction({ target, update, remove }: OverlayAction): string {
  return remove ? `remove ${target}` : `update ${target}: ${JSON.stringify(update)}`;
}

/** Returns the mistakes that the sandbox finds in requests and entries that the real API accepts. */
function toRejected({ ours, mapped: { exchange, operation } }: Case): readonly Rejected[] {
  const { status, body } = exchange.response;
  // Another rejection shows that the body was valid, too.
  if (status >= 300 && (ours.kind !== 'invalid' || status === ours.status)) return [];
  const value = exchange.body?.value;
  const toAll = (rejections: readonly Rejection[], within: unknown, prefix: string): readonly Rejected[] =>
    rejections.map((rejection) => ({
      operation,
      rejection: { ...rejection, path: rejection.path.startsWith(prefix) ? rejection.path : prefix + rejection.path },
      values: valuesAt(
        within,
        rejection.path.startsWith(prefix) ? `/*${rejection.path.slice(prefix.length)}` : `/*${rejection.path}`,
      ),
    }));
  if (ours.kind === 'invalid') return toAll(readRejection(ours.rejection), [value], '');
  const { list } = operations[operation];
  if (list === undefined) return [];
  const accepted = new Set(failuresOf(body?.value)?.map(({ id }) => id));
  return (failuresOf(ours.value) ?? [])
    .filter(({ id }) => !accepted.has(id))
    .flatMap(({ id, reason }) => {
      // An id may occur twice; the values that the document accepts are left out later.
      const entries = entriesOf(exchange, list).filter((one) => isObject(one) && String(one['id'] ?? '') === id);
      return toAll(readRejection({ message: reason }), entries, `/${list}/*`);
    });
}

function toActions({ operation, rejection }: Rejected, values: readonly unknown[]): readonly OverlayAction[] {
  const { path } = rejection;
  const name = path.split('/').at(-1) ?? '';
  if (rejection.kind === 'required field') {
    const parent = findSchema(operation, path.slice(0, path.lastIndexOf('/')));
    if (!parent || !Array.isArray(parent.schema['required'])) return [];
    return [{ target: `${parent.target}.required[?@ == '${name}']`, remove: true }];
  }
  const found = findSchema(operation, path);
  if (!found) return [];
  const { target, schema } = found;
  const added = [...new Set(values)];
  if (Array.isArray(schema['enum'])) {
    const known: readonly unknown[] = schema['enum'];
    const missing = added.filter((value) => !known.includes(value));
    return missing.length > 0 ? [{ target, update: { enum: missing } }] : [];
  }
  const types = [schema['type']].flat();
  if (types.length > 0 && !values.every((value) => isOfType(value, types)))
    return [{ target, update: { type: [...new Set([...types, ...typesOf(values)])] } }];
  return removable
    .filter((keyword) => keyword in schema)
    .map((keyword) => ({ target: `${target}['${keyword}']`, remove: true as const }));
}

function isOfType(value: unknown, types: readonly unknown[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

const removable = [
  'format',
  'pattern',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maximum',
  'minimum',
  'const',
];
