/** Lists everything that can fail on purpose in one list: scenarios, and failures of operations; and what each does. */
import { operationIds } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import { toFailureName } from '../scenarios/catalog.ts';
import type { LibraryEntry } from '../scenarios/library.ts';
import { magicIds } from '../scenarios/shipped.ts';
import { listFailures } from './catalog.ts';
import type { ControlParts, OperationRequest, Schema } from './handler.ts';
import { answerList } from './lists/answer.ts';
import { toValues } from './lists/select.ts';
import { scenariosOf } from './requests/show.ts';
import { listExpectations, showScenarios } from './scenarios.ts';

type Row = Schema<'ScenarioRow'>;
type ListRequest = OperationRequest<'listScenarios'>;

/** What is active, and what it did. */
interface Activity extends Schema<'ActiveScenarios'> {
  readonly expectations: ReturnType<typeof listExpectations>;
  /** Numbers of requests in the journal on which a rule fired, by scenario. */
  readonly fired: ReadonlyMap<string, number>;
}

export function listScenarioRows(
  parts: ControlParts,
  request: ListRequest,
  project: Project | undefined,
): ReturnType<typeof answerList> {
  const { operation } = request.query;
  const asked = operation === undefined ? undefined : toValues(operation);
  const activity = readActivity(parts, request, project);
  const active = [...new Set([...activity.scenarios, ...activity.serverScenarios])];
  const isAsked = (id = ''): boolean => asked?.has(id) !== false;
  const failures = operationIds
    .filter((id) => isAsked(id) || active.some((name) => name.startsWith(toFailureName(id, ''))))
    .flatMap((id) => listFailures(parts, id).failures.map((failure) => toFailureRow(id, failure)))
    .filter(({ name, operation: of }) => isAsked(of) || active.includes(name));
  const library = parts.library.list();
  const own = library.filter(({ source }) => source !== 'shipped');
  const shipped = library.filter(({ source }) => source === 'shipped');
  const names = new Set([...library, ...failures].map(({ name }) => name));
  const inline = active.filter((name) => !names.has(name));
  const rows = [...inline.map(toInlineRow), ...[...own, ...shipped].map(toRow), ...failures];
  const show = (row: (typeof rows)[number]) => ({ ...row, ...toState(row.name, activity) });
  const known = { operation: { noun: 'an operationId', values: operationIds } };
  return answerList(parts, request, { items: () => rows, show, known });
}

/** An API key without a project sees no scenarios of all projects. */
function readActivity(parts: ControlParts, { caller, query }: ListRequest, found: Project | undefined): Activity {
  const { project } = query;
  const fired = new Map<string, number>();
  for (const entry of parts.journal.list(project)) {
    if (!caller.mayUse(entry.project)) continue;
    for (const name of scenariosOf(entry)) fired.set(name, (fired.get(name) ?? 0) + 1);
  }
  const shown = showScenarios(parts, found);
  const isHidden = project === undefined && !caller.isAdmin;
  const expectations = project === undefined ? [] : listExpectations(parts, found, caller);
  return { ...shown, ...(isHidden && { serverScenarios: [], rules: [] }), expectations, fired };
}

type Listed = Omit<Row, keyof ReturnType<typeof toState>>;

function toRow({ name, source, scenario: { description, rules } }: LibraryEntry): Listed {
  const header = `x-sandbox-scenario: ${name}`;
  return { name, title: name, about: (description ?? '').trim(), source, ruleCount: rules.length, header };
}

function toInlineRow(name: string): Listed {
  return { name, title: name, about: 'Activated inline: not in the library.', source: 'inline' };
}

function toFailureRow(operation: string, { kind, about, magicId, header }: Schema<'CatalogFailure'>): Listed {
  return { name: toFailureName(operation, kind), title: kind, about, source: 'catalog', operation, magicId, header };
}

function toState(name: string, activity: Activity) {
  const { scenarios, serverScenarios, rules, expectations, fired } = activity;
  const active: Row['active'] = [
    ...(scenarios.includes(name) ? (['project'] as const) : []),
    ...(serverScenarios.includes(name) ? (['server'] as const) : []),
    ...(name === magicIds && activity.magicIds ? (['always'] as const) : []),
  ];
  return {
    active,
    fired: fired.get(name) ?? 0,
    rules: rules.filter(({ scenario }) => scenario === name),
    expectations: expectations.filter(({ scenario }) => scenario === name),
  };
}
