/** Judges recordings: replays each, exactly or under another profile or scenarios, and compares the results. */
import { ConfigError } from '../../config/config-error.ts';
import { readProfile, readScenarios } from '../../config/config-files.ts';
import { parseOptions } from '../../config/options.ts';
import { formatCount } from '../../lib/format.ts';
import type { WallClock } from '../../lib/time.ts';
import { createContract } from '../../openapi/contract.ts';
import type { LoadedRecording } from '../../replay/player.ts';
import { compareStories } from '../story/compare.ts';
import { isSame, toStoryLines, toSummary as toStorySummary } from '../story/describe.ts';
import { playStory } from '../story/story.ts';
import { maxDifferences, toDifferenceLines, toIdentical, toSummary } from './describe.ts';
import { replayRecording, type StoryPlan } from './replay.ts';

/** Result of one recording. */
export interface Judgement {
  readonly kind: 'same' | 'different' | 'unplayable';
  readonly summary: string;
  /** Lines about each difference, or mistakes. */
  readonly details: readonly string[];
  /** The same in short. */
  readonly reasons: readonly string[];
}

/** Replays a recording as it is, and compares every byte. */
export async function judgeExactly(loaded: LoadedRecording, wall: WallClock): Promise<Judgement> {
  const startedMs = wall.elapsed();
  const result = await replayRecording(loaded);
  const { differences } = result;
  if (differences.length === 0) {
    const summary = toIdentical(loaded.recording, result, wall.elapsed() - startedMs);
    return { kind: 'same', summary, details: [summary], reasons: [] };
  }
  return {
    kind: 'different',
    summary: formatCount(differences.length, 'difference'),
    details: toDifferenceLines(differences),
    reasons: differences.slice(0, maxDifferences).map(toSummary),
  };
}

/** What to change in a recording: the profile, or the scenarios for all projects. */
export type Variation = Partial<Pick<StoryPlan, 'applied' | 'contract' | 'otherScenarios'>>;

/** Replays a recording with and without changes, and compares the meaning. */
export async function judgeVaried(loaded: LoadedRecording, variation: Variation): Promise<Judgement> {
  const before = await playStory({ ...loaded, untilIdle: true });
  const after = await playStory({ ...loaded, ...variation, untilIdle: true });
  const parts = compareStories(before, after);
  const summary = toStorySummary(parts);
  const details = [summary, ...toStoryLines(parts, ['the recording', 'the replay'])];
  return { kind: isSame(parts) ? 'same' : 'different', summary, details, reasons: [summary] };
}

/** Reads the file of a profile, and names or files of scenarios, and adds their mistakes. Undefined if there are neither. */
export async function readVariation(
  profile: string | undefined,
  scenarios: readonly string[] | undefined,
  mistakes: string[],
): Promise<Variation | undefined> {
  if (profile === undefined && scenarios === undefined) return undefined;
  const parsed = parseOptions({ ...(profile !== undefined && { profile }), ...(scenarios && { scenarios }) }, {});
  try {
    if (!parsed.ok) throw new ConfigError(parsed.mistakes);
    const applied = profile === undefined ? undefined : await readProfile(profile);
    const { library, active } = await readScenarios(parsed.options);
    const compiled = await Promise.all(active.map((name) => library.compiled(name)));
    return {
      ...(applied && { applied, contract: createContract(applied.document, applied.profile.limits.depth) }),
      ...(scenarios && { otherScenarios: compiled.filter((scenario) => scenario !== undefined) }),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    mistakes.push(...error.mistakes);
    return undefined;
  }
}
