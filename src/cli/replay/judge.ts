/** Judges recordings: replays each, exactly or under another profile or scenarios, and compares the results. */
import { ConfigError, readProfile, readScenarios } from '../../config/config-files.ts';
import { parseOptions } from '../../config/options.ts';
import type { Recording } from '../../journal/recording.ts';
import type { WallClock } from '../../lib/time.ts';
import { createContract } from '../../openapi/contract.ts';
import type { LoadedRecording } from '../../replay/player.ts';
import { count } from '../output/text.ts';
import { maxDifferences, toDifferenceLines, toIdentical, toSummary } from './describe.ts';
import { createProgress } from './progress.ts';
import { replayRecording, type StoryPlan } from './replay.ts';
import { compareStories } from './story/compare-stories.ts';
import { isSame, toStoryLines, toSummary as toStorySummary } from './story/describe-stories.ts';
import { playStory } from './story/story.ts';

/** Result of one recording. `details`: lines about each difference; `reasons`: the same in short. */
export type Judgement =
  | { readonly kind: 'same'; readonly summary: string }
  | {
      readonly kind: 'different';
      readonly summary: string;
      readonly details: readonly string[];
      readonly reasons: readonly string[];
    }
  | { readonly kind: 'unplayable'; readonly mistakes: readonly string[] };

export type Judge = (loaded: LoadedRecording) => Promise<Judgement>;

export interface JudgeDeps {
  readonly wall: WallClock;
  /** Writes the progress line; undefined without a terminal. */
  readonly showLine: ((text: string) => void) | undefined;
}

/** Creates a judge that replays a recording as it is, and compares every byte. */
export function createExactJudge({ wall, showLine }: JudgeDeps): Judge {
  return async (loaded) => {
    const startedMs = wall.elapsed();
    const progress = createProgress(showLine, wall, loaded.recording.changes.length);
    const result = await replayRecording(loaded, progress.at).finally(progress.end);
    const { differences } = result;
    if (differences.length === 0)
      return { kind: 'same', summary: toIdentical(loaded.recording, result, wall.elapsed() - startedMs) };
    return {
      kind: 'different',
      summary: count(differences.length, 'difference'),
      details: toDifferenceLines(differences),
      reasons: differences.slice(0, maxDifferences).map(toSummary),
    };
  };
}

/** What to change in a recording: the file of a profile, and names or files of scenarios for all projects. */
export interface Variation {
  readonly profile: string | undefined;
  readonly scenarios: readonly string[] | undefined;
}

type Changes = Partial<Pick<StoryPlan, 'applied' | 'contract' | 'otherScenarios'>>;

/** Creates a judge that replays a recording with and without changes, and compares the meaning. */
export async function createVariedJudge(
  variation: Variation,
  { wall, showLine }: JudgeDeps,
): Promise<Judge | { readonly mistakes: readonly string[] }> {
  const changes = await readChanges(variation);
  if ('mistakes' in changes) return changes;
  return async (loaded) => {
    const progress = createProgress(showLine, wall, 2 * loaded.recording.changes.length);
    const half = loaded.recording.changes.length;
    try {
      const before = await playStory({ ...loaded, untilIdle: true }, progress.at);
      const varied = { ...loaded, ...changes, untilIdle: true };
      const after = await playStory(varied, (replayed) => progress.at(half + replayed));
      const parts = compareStories(before, after);
      const summary = toStorySummary(parts);
      if (isSame(parts)) return { kind: 'same', summary };
      const details = [summary, ...toStoryLines(parts, ['the recording', 'the replay'])];
      return { kind: 'different', summary, details, reasons: [summary] };
    } finally {
      progress.end();
    }
  };
}

async function readChanges({
  profile,
  scenarios,
}: Variation): Promise<Changes | { readonly mistakes: readonly string[] }> {
  const parsed = parseOptions({ ...(profile !== undefined && { profile }), ...(scenarios && { scenarios }) }, {});
  if (!parsed.ok) return parsed;
  try {
    const applied = profile === undefined ? undefined : await readProfile(profile);
    const { library, active } = await readScenarios(parsed.options);
    const compiled = await Promise.all(active.map((name) => library.compiled(name)));
    return {
      ...(applied && { applied, contract: createContract(applied.document, applied.profile.limits.depth) }),
      ...(scenarios && { otherScenarios: compiled.filter((scenario) => scenario !== undefined) }),
    };
  } catch (error) {
    if (error instanceof ConfigError) return { mistakes: error.mistakes };
    throw error;
  }
}

/** Returns why there is nothing to replay, or undefined. The sandbox also records a project that nobody has used. */
export function findEmptiness({ changes, project }: Recording): string | undefined {
  if (changes.length > 0) return undefined;
  const name = JSON.stringify(project);
  return `nothing to replay: project ${name} had received no requests or changes; check the project id, and record it after its first request`;
}
