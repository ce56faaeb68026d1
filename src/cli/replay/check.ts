/** Checks what the schema of a recording can't express, and what a replay would not show: references within it. */
import type { RecordedChange, Recording } from '../../journal/recording.ts';
import { catalogue } from '../../lib/problem.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { RoutedOperation } from '../../openapi/router.ts';

/** Returns the first mistake in a recording of valid shape, with its path. `control`: contract of the control API. */
export function findMistake(recording: Recording, control: Contract): string | undefined {
  return findMistakes(recording, control).next().value ?? undefined;
}

function* findMistakes(recording: Recording, control: Contract): Generator<string, undefined> {
  const { serverScenarios, magicIds, changes } = recording;
  yield* findUnknown('/serverScenarios', serverScenarios, recording);
  if (magicIds !== null) yield* findUnknown('/magicIds', magicIds, recording);
  for (const [index, change] of changes.entries()) yield* findInChange(`/changes/${index}`, change, recording, control);
}

function* findInChange(path: string, change: RecordedChange, recording: Recording, control: Contract) {
  if ('scenarios' in change) yield* findUnknown(`${path}/scenarios`, change.scenarios, recording);
  if ('scenario' in change && change.scenario !== undefined)
    yield* findUnknown(`${path}/scenario`, change.scenario, recording);
  if (change.kind === 'snapshot') yield* findInSnapshot(`${path}/snapshot`, change.snapshot, recording, control);
  if (change.kind !== 'request') return;
  for (const name of ['unread', 'full'] as const) {
    const { kind } = change.request[name] ?? {};
    const kinds = Object.keys(catalogue);
    if (kind !== undefined && !kinds.includes(kind))
      yield `${path}/request/${name}/kind: expected one of ${kinds.join(', ')}, got ${kind}`;
  }
}

function* findUnknown(path: string, given: number | readonly number[], { scenarios }: Recording): Generator<string> {
  const isList = typeof given !== 'number';
  const expected = scenarios.length === 0 ? 'but /scenarios is empty' : `at most ${scenarios.length - 1}`;
  for (const [at, index] of [given].flat().entries())
    if (index >= scenarios.length)
      yield `${path}${isList ? `/${at}` : ''}: expected an index of /scenarios, ${expected}, got ${index}`;
}

/** Checks a snapshot against the schema of PUT /snapshot, because the replay restores it in the same way. */
function* findInSnapshot(path: string, body: object, { project }: Recording, control: Contract): Generator<string> {
  const operation = control.operations.get('putSnapshot') as RoutedOperation;
  const shape = { params: { projectId: project }, query: {}, body };
  const { violations } = control.validate(operation, shape, { list: undefined, strict: true });
  for (const violation of violations) yield `${path}${violation.path}: ${violation.message}`;
}
