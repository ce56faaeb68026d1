/** Reads and validates a recording. */
import controlSource from '../../../spec/control.yaml';
import { type AppliedProfile, applyProfileText } from '../../config/config-files.ts';
import { droppedChanges, type Recording, recordingVersion } from '../../journal/recording.ts';
import { isDeeperThan } from '../../lib/depth.ts';
import type { ApiDocument } from '../../openapi/api-document.ts';
import { type Contract, createContract } from '../../openapi/contract.ts';
import type { RoutedOperation } from '../../openapi/router.ts';
import type { LoadedRecording } from '../../replay/player.ts';
import { type CompiledScenario, compileScenario } from '../../scenarios/compile.ts';
import { parseScenario } from '../../scenarios/parse.ts';
import { readJsonFile } from '../output/json-file.ts';
import { findMistake } from './check.ts';

interface Mistakes {
  readonly mistakes: readonly string[];
  /** Set if the file has JSON of another kind. */
  readonly isOther?: true;
}

export interface RecordingReader {
  /** Reads a recording from a file. Returns the recording or its mistakes. */
  readFile(file: string): Promise<LoadedRecording | Mistakes>;
  /** Reads a recording from a parsed value. Messages refer to it by `name`. Returns the recording or its mistakes. */
  read(value: unknown, name: string): Promise<LoadedRecording | Mistakes>;
}

/** Maximum depth of a recording. Real ones are flatter: bodies are texts. The schema check would overflow on more. */
const maxLevels = 2000;

/** Creates a reader that compiles the document once for consecutive recordings with the same profile. */
export function createRecordingReader(): RecordingReader {
  const control = createContract(addReplayOperation(controlSource as ApiDocument), maxLevels);
  let latest: { readonly profile: string; readonly applied: AppliedProfile; readonly contract: Contract } | undefined;

  async function apply(recording: Recording, name: string): Promise<NonNullable<typeof latest> | Mistakes> {
    const { overlays = [] } = recording;
    const text = JSON.stringify(recording.profile);
    const profile = JSON.stringify([text, overlays]);
    if (latest?.profile === profile) return latest;
    const applied = await applyProfileText(text, `${name}: /profile`, overlays);
    if ('mistakes' in applied) return applied;
    const contract = createContract(applied.document, applied.profile.limits.depth);
    latest = { profile, applied, contract };
    return latest;
  }

  async function read(value: unknown, name: string): Promise<LoadedRecording | Mistakes> {
    const fail = (message: string): Mistakes => ({ mistakes: [`${name}: ${message}`] });
    const shapeMistake = checkShape(control, value);
    if (shapeMistake !== undefined)
      return { ...fail(shapeMistake), ...(versionOf(value) === undefined && { isOther: true }) };
    const recording = value as Recording;
    const api = await apply(recording, name);
    if ('mistakes' in api) return api;
    const { applied, contract } = api;
    const mistake = findMistake(recording, control);
    if (mistake !== undefined) return fail(mistake);
    const scenarios = await readScenarios(recording, name);
    return 'mistakes' in scenarios ? scenarios : { recording, applied, contract, scenarios: scenarios.compiled };
  }

  return {
    read,
    readFile: async (file) => {
      const json = await readJsonFile(file);
      return 'reason' in json ? { mistakes: [`${file}: ${json.reason}`] } : read(json.value, file);
    },
  };
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
  const judgeOptions = { list: undefined, strict: true, depth: maxLevels };
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
