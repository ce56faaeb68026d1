/** Finds the differences between traffic and a profile, and the proposals that settle them. */
import type { AppliedProfile } from '../../config/config-files.ts';
import type { Json } from '../../lib/json.ts';
import { countFindings, type Difference } from './compare/difference.ts';
import { createEvaluator, type Evaluation } from './evaluate.ts';
import { type Exchange, isObject } from './exchange.ts';
import type { UserMap } from './mapping/user-map.ts';
import { mergePatch, type OverlayAction, type Proposal } from './settle/settler.ts';
import { settlers } from './settle/settlers.ts';

/** Applies proposals to the profile in question. Returns undefined if the profile becomes invalid. */
export type ApplyProposals = (patch: Json, actions: readonly OverlayAction[]) => Promise<AppliedProfile | undefined>;

export interface Calibration {
  /** Under the profile in question. */
  readonly before: Evaluation;
  /** With all proposals. */
  readonly after: Evaluation;
  readonly differences: readonly Difference[];
  /** Differences that no proposal settles. */
  readonly remaining: readonly Difference[];
  readonly proposals: readonly Proposal[];
  readonly patch: Json;
  readonly actions: readonly OverlayAction[];
}

/** Maximum number of times that proposals are derived from what is left. */
const maxRounds = 30;

/** Proposals are found with the first exchanges of a long traffic, and completed with all of them. */
const sampleSize = 1500;

/** Maximum numbers of plays of the sample, and of the whole traffic after it. */
const maxSamplePlays = 80;
const maxWholePlays = 4;

export async function calibrate(
  exchanges: readonly Exchange[],
  userMaps: readonly UserMap[],
  applied: AppliedProfile,
  apply: ApplyProposals,
): Promise<Calibration> {
  const isLong = exchanges.length > sampleSize;
  const sample = await search(exchanges.slice(0, sampleSize), { userMaps, applied, apply, first: [] }, maxSamplePlays);
  const { before, kept } = isLong
    ? await search(exchanges, { userMaps, applied, apply, first: sample.kept.proposals }, maxWholePlays)
    : sample;
  // A path that agrees nowhere is a guess, unless the user has named it.
  const countOthers = ({ findings }: Evaluation): number => findings.filter(({ kind }) => kind !== 'path').length;
  const isGain = kept.evaluation.agreed > before.agreed || countOthers(kept.evaluation) < countOthers(before);
  const { proposals, evaluation: after } = isGain || userMaps.length > 0 ? kept : { proposals: [], evaluation: before };
  const differences = countFindings(before.findings).map((difference) => ({
    ...difference,
    proposal: proposals.find((proposal) => proposal.settles(difference))?.text,
  }));
  const remaining = countFindings(after.findings);
  return { before, after, differences, remaining, proposals, patch: toPatch(proposals), actions: toActions(proposals) };
}

interface Kept {
  readonly evaluation: Evaluation;
  readonly proposals: readonly Proposal[];
}

interface SearchInput {
  readonly userMaps: readonly UserMap[];
  readonly applied: AppliedProfile;
  readonly apply: ApplyProposals;
  /** Proposals to start with. */
  readonly first: readonly Proposal[];
}

/** Derives proposals from what is left, until nothing is left or nothing helps. */
async function search(
  exchanges: readonly Exchange[],
  { userMaps, applied, apply, first }: SearchInput,
  maxPlays: number,
): Promise<{ readonly before: Evaluation; readonly kept: Kept }> {
  const evaluator = createEvaluator(exchanges, userMaps);
  const before = await evaluator.evaluate(applied);
  let plays = 0;
  const hasTime = (): boolean => plays < maxPlays;
  const tryAll: TryAll = async (wanted) => {
    plays += 1;
    const proposals = await findValid(wanted, apply);
    const next = await apply(toPatch(proposals), toActions(proposals));
    return next && { evaluation: await evaluator.evaluate(next), proposals };
  };
  let kept: Kept = (first.length > 0 && (await tryAll(first))) || { evaluation: before, proposals: [] };
  const tried = new Set<string>();
  for (let round = 0; round < maxRounds && hasTime(); round += 1) {
    const next = deriveProposals(kept.evaluation, tried);
    if (next.length === 0) break;
    const best = await keepBest(next, kept, tryAll, hasTime);
    // A guess that did not help may help after another one.
    const again = best !== kept && next.every(({ isGuess }) => isGuess);
    for (const one of next.filter((proposal) => !again || best.proposals.includes(proposal))) tried.add(one.text);
    kept = best;
  }
  // The proposals to start with have been reduced already.
  return { before, kept: first.length > 0 ? kept : await withoutUseless(kept, tryAll, hasTime) };
}

/** Returns new proposals. Guesses wait until everything else is settled: differences may have simpler reasons. */
function deriveProposals(evaluation: Evaluation, tried: ReadonlySet<string>): readonly Proposal[] {
  const found = settlers.flatMap((settle) => settle(evaluation)).filter(({ text }) => !tried.has(text));
  const certain = found.filter(({ isGuess }) => !isGuess);
  return certain.length > 0 ? certain : found;
}

/** Drops proposals that a profile cannot have together with the others. */
async function findValid(wanted: readonly Proposal[], apply: ApplyProposals): Promise<readonly Proposal[]> {
  const isValid = async (proposals: readonly Proposal[]): Promise<boolean> =>
    (await apply(toPatch(proposals), toActions(proposals))) !== undefined;
  if (await isValid(wanted)) return wanted;
  let valid = wanted;
  for (const proposal of wanted) {
    const others = valid.filter((one) => one !== proposal);
    if (await isValid(others)) return others;
    if (!(await isValid([proposal]))) valid = others;
  }
  return valid;
}

type TryAll = (proposals: readonly Proposal[]) => Promise<Kept | undefined>;

/** Keeps all proposals if they settle everything or are certain, otherwise the first one that helps. */
async function keepBest(
  found: readonly Proposal[],
  present: Kept,
  tryAll: TryAll,
  hasTime: () => boolean,
): Promise<Kept> {
  const all = await tryAll([...present.proposals, ...found]);
  const helps = all !== undefined && isBetter(all.evaluation, present.evaluation);
  const isDone = found.length === 1 || found.every(({ isGuess }) => !isGuess) || (all && !hasLeft(all.evaluation));
  if (helps && isDone) return all;
  for (const proposal of found) {
    if (!hasTime()) break;
    const one = await tryAll([...present.proposals, proposal]);
    if (one && isBetter(one.evaluation, present.evaluation)) return one;
  }
  return helps ? all : present;
}

/** Drops the guesses without which the agreement is the same. */
async function withoutUseless(kept: Kept, tryAll: TryAll, hasTime: () => boolean): Promise<Kept> {
  let best = kept;
  const guesses = kept.proposals.filter(({ isGuess }) => isGuess);
  if (guesses.length < 2) return kept;
  for (const guess of guesses) {
    if (!hasTime()) break;
    const one = await tryAll(best.proposals.filter((proposal) => proposal !== guess));
    if (one && !isBetter(best.evaluation, one.evaluation)) best = one;
  }
  return best;
}

function hasLeft({ agreed, cases }: Evaluation): boolean {
  return agreed < cases.length;
}

/** Whether an evaluation has more agreement, or as much with fewer differences. */
function isBetter(next: Evaluation, present: Evaluation): boolean {
  if (next.cases.length !== present.cases.length) return next.cases.length > present.cases.length;
  if (next.agreed !== present.agreed) return next.agreed > present.agreed;
  return next.findings.length < present.findings.length;
}

function toPatch(proposals: readonly Proposal[]): Json {
  return proposals.reduce<Json>((patch, proposal) => mergePatch(patch, proposal.patch ?? {}), {});
}

/** Returns the actions of all proposals; updates of the same target become one. */
function toActions(proposals: readonly Proposal[]): readonly OverlayAction[] {
  const merged = new Map<string, OverlayAction>();
  for (const action of proposals.flatMap(({ actions = [] }) => actions)) {
    const key = action.remove ? `remove ${action.target}` : action.target;
    const present = merged.get(key);
    const update = present && mergeUpdates(present.update, action.update);
    merged.set(key, update === undefined ? action : { ...action, update });
  }
  return [...merged.values()];
}

/** Merges updates as an overlay applies them one after another. */
function mergeUpdates(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (!isObject(one) || !isObject(other)) return other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in one && name in other ? mergeUpdates(one[name], other[name]) : (other[name] ?? one[name]),
    ]),
  );
}
