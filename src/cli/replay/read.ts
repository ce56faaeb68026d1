/** Reads and validates a recording. */
import controlSource from '../../../spec/control.yaml';
import { type AppliedProfile, applyProfileText } from '../../config/config-files.ts';
import { droppedChanges, type RecordedChange, type Recording, recordingVersion } from '../../journal/recording.ts';
import { isDeeperThan } from '../../lib/depth.ts';
import { catalogue } from '../../lib/problem.ts';
import type { ApiDocument } from '../../openapi/api-document.ts';
import { type Contract, createContract } from '../../openapi/contract.ts';
import type { RoutedOperation } from '../../openapi/router.ts';
import type { LoadedRecording } from '../../replay/player.ts';
import { type CompiledScenario, compileScenario } from '../../scenarios/compile.ts';
import { parseScenario } from '../../scenarios/parse.ts';
import { readJsonFile } from '../output/json-file.ts';

interface Mistakes {
  readonly mistakes: readonly string[];
  /** Set if the file has JSON of another kind. */
  readonly isOther?: true;
}

/** Maximum depth of a recording. Real ones are flatter: bodies are texts. The schema check would overflow on more. */
const maxLevels = 2000;

/** Reads recordings. Applies a profile once for consecutive recordings that have it, because that takes a tenth of a second. */
export class RecordingReader {
  readonly #control = createContract(addReplayOperation(controlSource as ApiDocument), maxLevels);
  #latest: { readonly key: string; readonly applied: AppliedProfile; readonly contract: Contract } | undefined;

  /** Reads a recording from a file. Returns the recording or its mistakes. */
  async readFile(file: string): Promise<LoadedRecording | Mistakes> {
    const json = await readJsonFile(file);
    return 'reason' in json ? { mistakes: [`${file}: ${json.reason}`] } : this.read(json.value, file);
  }

  /** Reads a recording from a parsed value. Messages refer to it by `name`. Returns the recording or its mistakes. */
  async read(value: unknown, name: string): Promise<LoadedRecording | Mistakes> {
    const shapeMistake = checkShape(this.#control, value);
    const isOther = versionOf(value) === undefined;
    if (shapeMistake !== undefined) return { mistakes: [`${name}: ${shapeMistake}`], ...(isOther && { isOther }) };
    const recording = value as Recording;
    const api = await this.#apply(recording, name);
    if ('mistakes' in api) return api;
    const [mistake] = findMistakes(recording, this.#control);
    if (mistake !== undefined) return { mistakes: [`${name}: ${mistake}`] };
    const scenarios = await readScenarios(recording, name);
    return 'mistakes' in scenarios ? scenarios : { recording, ...api, scenarios: scenarios.compiled };
  }

  async #apply({ profile, overlays = [] }: Recording, name: string) {
    const text = JSON.stringify(profile);
    const key = JSON.stringify([text, overlays]);
    if (this.#latest?.key === key) return this.#latest;
    const applied = await applyProfileText(text, `${name}: /profile`, overlays);
    if ('mistakes' in applied) return applied;
    this.#latest = { key, applied, contract: createContract(applied.document, applied.profile.limits.depth) };
    return this.#latest;
  }
}

function versionOf(value: unknown): unknown {
  return (value as { recording?: unknown } | null)?.recording;
}

/** Adds an operation whose request body is a recording, so that the contract can validate a recording. */
function addReplayOperation(document: ApiDocument): ApiDocument {
  const schema = { $ref: '#/components/schemas/Recording' };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const post = { operationId: replayOperationId, requestBody, responses: { 204: { description: 'Replayed.' } } };
  return { ...document, paths: { ...document.paths, '/recording': { post } } };
}

const replayOperationId = 'replayRecording';

/** Returns the first mistake in the shape of a recording, or undefined. */
function checkShape(control: Contract, value: unknown): string | undefined {
  const version = versionOf(value);
  if (version !== recordingVersion) {
    const actual = version === undefined ? 'none' : JSON.stringify(version).slice(0, 60);
    return `not a recording of a sandbox: expected "recording": ${recordingVersion}, got ${actual}`;
  }
  if (isDeeperThan(value, maxLevels))
    return `expected at most ${maxLevels.toLocaleString('en')} levels of objects and lists`;
  const operation = control.operations.get(replayOperationId) as RoutedOperation;
  const judgeOptions = { list: undefined, strict: true };
  const [first] = control.validate(operation, { params: {}, query: {}, body: value }, judgeOptions).violations;
  if (first) return `${first.path}: ${first.message}`;
  const { complete, incomplete = droppedChanges } = value as Recording;
  if (complete) return undefined;
  return `/complete: expected true, got false; an incomplete recording cannot be replayed, because ${incomplete}`;
}

async function readScenarios(
  { scenarios }: Recording,
  name: string,
): Promise<Mistakes | { readonly compiled: readonly CompiledScenario[] }> {
  const compiled: CompiledScenario[] = [];
  const mistakes: string[] = [];
  for (const [index, text] of scenarios.entries()) {
    const at = `${name}: /scenarios/${index}`;
    const parsed = parseScenario(text, at);
    if (parsed.ok) compiled.push(await compileScenario(parsed.scenario));
    else mistakes.push(...parsed.issues.map(({ line, column, message }) => `${at}:${line}:${column}: ${message}`));
  }
  return mistakes.length > 0 ? { mistakes } : { compiled };
}

/** Finds what the schema can't express, and what a replay would not show: references within the recording. */
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
    const problem = change.request[name];
    if (problem === undefined) continue;
    const [place, kinds] = [`${path}/request/${name}`, Object.keys(catalogue)];
    if (problem.kind !== undefined && !kinds.includes(problem.kind))
      yield `${place}/kind: expected one of ${kinds.join(', ')}, got ${problem.kind}`;
    if (typeof problem.message !== 'string') yield `${place}/message: expected a text`;
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
