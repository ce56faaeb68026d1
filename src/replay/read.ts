/** Reads a recording from its file, or says what keeps it from being played. */
import { readFile } from 'node:fs/promises';
import controlSource from '../../spec/control.yaml';
import { isDeeperThan } from '../base/depth.ts';
import { type Contract, createContract } from '../contract/contract.ts';
import type { ApiDocument } from '../contract/document.ts';
import type { RoutedOperation } from '../contract/router.ts';
import { type Recording, recordingVersion } from '../journal/recording.ts';
import { operationIds } from '../operations/index.ts';
import { type AppliedProfile, applyProfileText } from '../operator-files.ts';
import { type CompiledScenario, compileScenario } from '../scenarios/compile.ts';
import { parseScenario } from '../scenarios/parse.ts';
import { findMistake } from './check.ts';

/** A recording with its profile applied to the API's document, and its scenarios compiled. */
export interface ReadRecording {
  readonly recording: Recording;
  readonly applied: AppliedProfile;
  readonly contract: Contract;
  readonly scenarios: readonly CompiledScenario[];
}

type Mistakes = { readonly mistakes: readonly string[] };

/** Reads one recording after another. */
export interface RecordingReader {
  /** A file's recording, or what is wrong with it. */
  readFile(file: string): Promise<ReadRecording | Mistakes>;
  /** A value's recording, or what is wrong with it; `name` is what the messages call it. */
  read(value: unknown, name: string): Promise<ReadRecording | Mistakes>;
}

/** More than any recording has: bodies are texts in it. What is deeper would not survive being checked. */
const mostLevels = 2000;

/** A reader that compiles a document once for all recordings that have it in common. */
export function createRecordingReader(): RecordingReader {
  const control = createContract(toDocument(controlSource as ApiDocument), mostLevels);
  let latest: { readonly profile: string; readonly applied: AppliedProfile; readonly contract: Contract } | undefined;

  async function apply(recording: Recording, name: string): Promise<NonNullable<typeof latest> | Mistakes> {
    const profile = JSON.stringify(recording.profile);
    if (latest?.profile === profile) return latest;
    const applied = await applyProfileText(profile, `${name}: /profile`);
    if ('mistakes' in applied) return applied;
    const contract = createContract(applied.document, applied.profile.limits.depth);
    latest = { profile, applied, contract };
    return latest;
  }

  async function read(value: unknown, name: string): Promise<ReadRecording | Mistakes> {
    const fail = (message: string): Mistakes => ({ mistakes: [`${name}: ${message}`] });
    const misshapen = checkShape(control, value);
    if (misshapen !== undefined) return fail(misshapen);
    const recording = value as Recording;
    const api = await apply(recording, name);
    if ('mistakes' in api) return api;
    const { applied, contract } = api;
    const mistake = findMistake(recording, { control, api: contract });
    if (mistake !== undefined) return fail(mistake);
    const scenarios = await readScenarios(recording, name);
    return 'mistakes' in scenarios ? scenarios : { recording, applied, contract, scenarios: scenarios.compiled };
  }

  return {
    read,
    readFile: async (file) => {
      const json = await readJson(file);
      return 'mistakes' in json ? json : read(json.value, file);
    },
  };
}

async function readJson(file: string): Promise<Mistakes | { readonly value: unknown }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { mistakes: [`${file}: can't be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`] };
  }
  try {
    // Some editors and shells begin a file with a mark that is no part of the text.
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) };
  } catch (error) {
    // Its words quote the file, which may be anything.
    return { mistakes: [`${file}: not JSON (${(error as Error).message.replace(/\p{Cc}+/gu, ' ')})`] };
  }
}

/** The control API's document with one operation more, which takes what `getRecording` gives: so it is judged as a body. */
function toDocument(document: ApiDocument): ApiDocument {
  const schema = { $ref: '#/components/schemas/Recording' };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const post = { operationId: playing, requestBody, responses: { 204: { description: 'Played.' } } };
  return { ...document, paths: { ...document.paths, '/recording': { post } } };
}

const playing = 'playRecording';

/** What keeps a value from being a whole recording, by that document. */
function checkShape(control: Contract, value: unknown): string | undefined {
  const version = (value as { recording?: unknown } | null)?.recording;
  if (version !== recordingVersion) {
    const came = version === undefined ? 'none' : JSON.stringify(version).slice(0, 60);
    return `not a recording of a sandbox: expected "recording": ${recordingVersion}, got ${came}`;
  }
  if (isDeeperThan(value, mostLevels)) return `expected at most ${mostLevels} levels of objects and lists`;
  const operation = control.operations.get(playing) as RoutedOperation;
  const how = { list: undefined, strict: true, depth: mostLevels };
  const [first] = control.judge(operation, { params: {}, query: {}, body: value }, how).violations;
  if (first) return `${first.path}: ${first.message}`;
  return (value as Recording).complete
    ? undefined
    : '/complete: expected true; the journal had let something go when it was taken, so it cannot be played';
}

async function readScenarios(
  { scenarios }: Recording,
  name: string,
): Promise<Mistakes | { readonly compiled: readonly CompiledScenario[] }> {
  const compiled: CompiledScenario[] = [];
  const mistakes: string[] = [];
  for (const [place, text] of scenarios.entries()) {
    const at = `${name}: /scenarios/${place}`;
    const parsed = parseScenario(text, at, operationIds);
    if (parsed.ok) compiled.push(await compileScenario(parsed.scenario));
    else mistakes.push(...parsed.issues.map(({ line, column, message }) => `${at}:${line}:${column}: ${message}`));
  }
  return mistakes.length > 0 ? { mistakes } : { compiled };
}
