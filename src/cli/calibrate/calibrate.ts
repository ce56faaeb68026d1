/** Finds the differences between traffic and a profile, and the proposals that settle them. */
import type { AppliedProfile } from '../../config/config-files.ts';
import type { Json } from '../../lib/json.ts';
import { countFindings, type Difference } from './compare/difference.ts';
import { createEvaluator, type Evaluation } from './evaluate.ts';
import type { Exchange } from './exchange.ts';
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
const maxRounds = 8;

export async function calibrate(
  exchanges: readonly Exchange[],
  userMaps: readonly UserMap[],
  applied: AppliedProfile,
  apply: ApplyProposals,
): Promise<Calibration> {
  const evaluator = createEvaluator(exchanges, userMaps);
  const before = await evaluator.evaluate(applied);
  let kept: Kept = { evaluation: before, proposals: [] };
  const tried = new Set<string>();

  /** Evaluates the kept proposals together with others. */
  async function tryWith(others: readonly Proposal[]): Promise<Kept | undefined> {
    const proposals = [...kept.proposals, ...others];
    const next = await apply(toPatch(proposals), toActions(proposals));
    return next && { evaluation: await evaluator.evaluate(next), proposals };
  }

  for (let round = 0; round < maxRounds; round += 1) {
    const found = settlers.flatMap((settle) => settle(kept.evaluation)).filter(({ text }) => !tried.has(text));
    if (found.length === 0) break;
    for (const { text } of found) tried.add(text);
    const certain = found.filter(({ isGuess }) => !isGuess);
    // Guesses wait until everything else is settled, because differences may have simpler reasons.
    if (certain.length > 0) for (const { text } of found.filter(({ isGuess }) => isGuess)) tried.delete(text);
    kept = await keepBest(certain.length > 0 ? certain : found, kept, tryWith);
  }
  const differences = countFindings(before.findings).map((difference) => ({
    ...difference,
    proposal: kept.proposals.find((proposal) => proposal.settles(difference))?.text,
  }));
  const remaining = countFindings(kept.evaluation.findings);
  const { proposals } = kept;
  return {
    ...{ before, after: kept.evaluation, differences, remaining, proposals },
    ...{ patch: toPatch(proposals), actions: toActions(proposals) },
  };
}

interface Kept {
  readonly evaluation: Evaluation;
  readonly proposals: readonly Proposal[];
}

/** Keeps all proposals if they help together, otherwise those that help one by one. */
async function keepBest(
  found: readonly Proposal[],
  present: Kept,
  tryWith: (others: readonly Proposal[]) => Promise<Kept | undefined>,
): Promise<Kept> {
  const all = await tryWith(found);
  if (all && isBetter(all.evaluation, present.evaluation) && (found.length === 1 || !hasLeft(all.evaluation)))
    return all;
  let best = all && isBetter(all.evaluation, present.evaluation) ? all : present;
  if (found.length === 1 || (all && found.every(({ isGuess }) => !isGuess))) return best;
  let chosen: readonly Proposal[] = [];
  let latest = present;
  for (const proposal of found) {
    const one = await tryWith([...chosen, proposal]);
    if (!one || !isBetter(one.evaluation, latest.evaluation)) continue;
    chosen = [...chosen, proposal];
    latest = one;
  }
  if (isBetter(latest.evaluation, best.evaluation)) best = latest;
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

function toActions(proposals: readonly Proposal[]): readonly OverlayAction[] {
  return proposals.flatMap(({ actions = [] }) => actions);
}
