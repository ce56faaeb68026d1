/** The rows of the list: scenarios of the library, scenarios that were given inline, and single failures of an operation. */
import type { Schemas } from '../../../data/client.ts';
import { sourceLabels } from '../sources.ts';
import { rename } from '../text.ts';
import type { LoadedList } from './load.ts';

export const groups = ['active', 'own', 'shipped', 'failures'] as const;
export type Group = (typeof groups)[number];

export interface Row {
  /** Name of the scenario; a failure has one of its own. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly group: Exclude<Group, 'active'>;
  /** Undefined for a failure. */
  readonly source: string | undefined;
  /** Operation of a failure. */
  readonly operation?: string;
  /** Id of an entry that provokes the failure without a scenario. */
  readonly magicId?: string;
  /** Header that activates it for one request. */
  readonly header?: string;
  /** Text of the scenario, if it is not in the library. */
  readonly text?: string;
}

export interface Wanted {
  readonly group: Group | undefined;
  /** Operation of the failures; empty for all. */
  readonly operation: string;
  /** Kind of the failures; empty for all. */
  readonly kind: string;
  readonly text: string;
}

const maxNameLength = 64;

/** Returns the rows that fit, in the order of the groups. */
export function findRows(loaded: LoadedList, { group, operation, kind, text }: Wanted): readonly Row[] {
  const on = new Set([...(loaded.active?.scenarios ?? []), ...(loaded.serverScenarios?.scenarios ?? [])]);
  const failures = loaded.catalog
    .filter((one) => operation === '' || one.operation === operation)
    .flatMap((one) =>
      one.failures.filter((failure) => kind === '' || failure.kind === kind).map((failure) => toFailure(one, failure)),
    );
  const rows = [...scenarioRows(loaded, new Set(failures.map(({ name }) => name))), ...failures];
  const words = text.toLowerCase();
  return rows.filter(
    (row) =>
      (group === undefined || (group === 'active' ? on.has(row.name) : row.group === group)) &&
      `${row.name} ${row.title} ${row.operation ?? ''} ${row.about} ${row.magicId ?? ''} ${row.header ?? ''}`
        .toLowerCase()
        .includes(words),
  );
}

/** `listed`: names of failures that are shown anyway. */
function scenarioRows({ library, active, serverScenarios }: LoadedList, listed: ReadonlySet<string>): readonly Row[] {
  const known = new Set(library.map(({ name }) => name));
  const inline = [...new Set([...(active?.scenarios ?? []), ...(serverScenarios?.scenarios ?? [])])]
    .filter((name) => !known.has(name) && !listed.has(name))
    .map(
      (name): Row => ({
        name,
        title: name,
        about: 'Activated inline: not in the library.',
        group: 'own',
        source: 'inline',
      }),
    );
  const rows = library.map(
    ({ name, description = '', source }): Row => ({
      ...{ name, title: name, about: description.trim(), source },
      group: source === 'shipped' ? 'shipped' : 'own',
      header: `x-sandbox-scenario: ${name}`,
    }),
  );
  return [
    ...inline,
    ...rows.filter(({ group }) => group === 'own'),
    ...rows.filter(({ group }) => group === 'shipped'),
  ];
}

/** Returns a failure of the catalog as a row, with a scenario that causes it. */
export function toFailure(
  { operation }: Pick<Schemas['CatalogOperation'], 'operation'>,
  failure: Schemas['CatalogFailure'],
): Row & { readonly text: string } {
  const { kind, about, magicId, header, yaml } = failure;
  const name = `${operation.toLowerCase()}-${kind}`.slice(0, maxNameLength);
  return {
    ...{
      name,
      title: kind,
      about: about.replace(/^./, (letter) => letter.toUpperCase()),
      operation,
      group: 'failures',
      source: undefined,
    },
    ...(magicId !== undefined && { magicId }),
    ...(header !== undefined && { header }),
    text: rename(yaml, name),
  };
}

/** Describes where a row is from. */
export function labelOf({ source }: Row): string {
  return source === undefined ? '' : (sourceLabels[source] ?? source);
}
