/** Finds the differences between traffic and a profile, and the proposals that settle them. */
import type { Json } from '../../lib/json.ts';
import { countFindings, type Difference, toDifferenceKey } from './compare/difference.ts';
import { type Evaluation, Evaluator } from './evaluate.ts';
import type { Exchange } from './exchange.ts';
import type { UserMap } from './mapping/user-map.ts';
import { type OverlayAction, type Proposal, toActions, toPatch } from './settle/proposal.ts';
import { type ApplyProposals, Search } from './settle/search.ts';

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

/** Guesses are tried with the first exchanges of a long traffic. */
const sampleSize = 600;

export async function calibrate(
  exchanges: readonly Exchange[],
  userMaps: readonly UserMap[],
  apply: ApplyProposals,
): Promise<Calibration> {
  const evaluator = new Evaluator(exchanges, userMaps);
  const isLong = exchanges.length > sampleSize;
  const sample = isLong ? new Evaluator(exchanges.slice(0, sampleSize), userMaps) : evaluator;
  let search = await Search.start(sample, apply, []);
  const before = isLong ? (await Search.start(evaluator, apply, [])).evaluation : search.evaluation;
  await search.settleDirectly();
  await search.tryGuesses();
  if (isLong) {
    search = await Search.start(evaluator, apply, search.proposals);
    await search.settleDirectly();
  }
  const isGain = isUseful(search.evaluation, before) || userMaps.length > 0;
  const { proposals, evaluation: after } = isGain ? search : { proposals: [], evaluation: before };
  const remaining = countFindings(after.findings);
  const left = new Set(remaining.map(toDifferenceKey));
  const differences = countFindings(before.findings).map((difference) => {
    const proposal = proposals.find((one) => one.settles(difference))?.text;
    const isGone = proposals.length > 0 && !left.has(toDifferenceKey(difference));
    return { ...difference, proposal: proposal ?? (isGone ? 'all proposals together' : undefined) };
  });
  return { before, after, differences, remaining, proposals, patch: toPatch(proposals), actions: toActions(proposals) };
}

/** Whether proposals do more than to move paths: a path that agrees nowhere is a guess. */
function isUseful(after: Evaluation, before: Evaluation): boolean {
  const countOthers = ({ findings }: Evaluation): number => findings.filter(({ kind }) => kind !== 'path').length;
  return after.agreed > before.agreed || countOthers(after) < countOthers(before);
}
