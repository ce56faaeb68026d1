/** Finds the differences between traffic and a profile, and the proposals that settle them. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { toFindingKey } from './compare/compare.ts';
import { type Evaluation, evaluate, type NamedTraffic } from './evaluate.ts';
import { proposeBodies } from './propose/bodies.ts';
import { proposeHeaders, proposePaths, proposeStatuses } from './propose/heads.ts';
import { proposeFields, proposeLooserSchemas } from './propose/overlay.ts';
import type { Proposal } from './propose/proposal.ts';
import { proposeValues } from './propose/values.ts';

export interface Calibration {
  /** Under the profile in question. */
  readonly before: Evaluation;
  /** With all proposals. */
  readonly after: Evaluation;
  readonly proposals: readonly Proposal[];
  /** The text of the proposals that settle a finding, by its key. */
  readonly settled: ReadonlyMap<string, string>;
}

/** Applies proposals to the profile in question. Returns undefined if the profile becomes invalid. */
export type ApplyProposals = (proposals: readonly Proposal[]) => Promise<AppliedProfile | undefined>;

/** What the responses themselves show. Paths come first: at another path, an operation has no response of its own. */
const direct: readonly ((evaluation: Evaluation) => readonly Proposal[])[] = [
  proposePaths,
  (evaluation) => [...proposeStatuses(evaluation), ...proposeHeaders(evaluation)],
  (evaluation) => [...proposeBodies(evaluation), ...proposeFields(evaluation)],
];

/** Proposals are tried with the first exchanges of a long traffic. */
const sampleSize = 600;

/** Maximum number of proposals that are tried one by one. */
const maxTrials = 40;

export async function calibrate(traffic: NamedTraffic, apply: ApplyProposals): Promise<Calibration> {
  const { exchanges, userMaps } = traffic;
  const isLong = exchanges.length > sampleSize;
  const sample = { ...traffic, exchanges: exchanges.slice(0, sampleSize) };
  const tried = await Search.start(sample, apply, []);
  const before = isLong ? (await Search.start(traffic, apply, [])).evaluation : tried.evaluation;
  do await tried.settleDirectly();
  while (await tried.tryValues());
  const search = isLong ? await Search.start(traffic, apply, tried.proposals) : tried;
  await search.settleDirectly();
  const { proposals, evaluation: after } = search;
  const isGain = isUseful(after, before) || userMaps.length > 0;
  if (!isGain) return { before, after: before, proposals: [], settled: new Map() };
  return { before, after, proposals, settled: new Map([...tried.settled, ...search.settled]) };
}

/** Whether proposals do more than to move paths: a path that agrees nowhere is a guess. */
function isUseful(after: Evaluation, before: Evaluation): boolean {
  const countOthers = ({ findings }: Evaluation): number => findings.filter(({ kind }) => kind !== 'path').length;
  return after.agreed > before.agreed || countOthers(after) < countOthers(before);
}

class Search {
  readonly #traffic: NamedTraffic;
  readonly #apply: ApplyProposals;
  /** Texts of the proposals that were tried since the last one that was kept. */
  readonly #tried = new Set<string>();
  #trials = 0;
  proposals: readonly Proposal[];
  evaluation: Evaluation;
  readonly settled = new Map<string, string>();

  private constructor(
    traffic: NamedTraffic,
    apply: ApplyProposals,
    given: readonly Proposal[],
    evaluation: Evaluation,
  ) {
    this.#traffic = traffic;
    this.#apply = apply;
    this.proposals = given;
    this.evaluation = evaluation;
  }

  /** Starts with proposals that are known to be valid together. */
  static async start(traffic: NamedTraffic, apply: ApplyProposals, given: readonly Proposal[]): Promise<Search> {
    const applied = await apply(given);
    const evaluation = applied && (await evaluate(traffic, applied));
    if (!evaluation) throw new Error('the given proposals are not valid together');
    return new Search(traffic, apply, given, evaluation);
  }

  /** Keeps what the responses show: all together, or each that helps. */
  async settleDirectly(): Promise<void> {
    for (const derive of direct) {
      const found = derive(this.evaluation).filter(({ text }) => !this.#tried.has(text));
      if (await this.#keepIfBetter(found)) continue;
      if (found.length > 1) for (const proposal of found) await this.#keepIfBetter([proposal]);
    }
  }

  /** Tries values one after another. Returns whether one was kept. */
  async tryValues(): Promise<boolean> {
    let isBetter = false;
    for (const derive of [proposeValues, proposeLooserSchemas])
      for (const proposal of derive(this.evaluation)) {
        if (this.#tried.has(proposal.text) || this.#trials >= maxTrials) continue;
        this.#trials += 1;
        const { cases, agreed } = this.evaluation;
        isBetter = (await this.#keepIfBetter([proposal], cases.length - agreed)) || isBetter;
      }
    return isBetter;
  }

  /** `most`: number of exchanges that may differ, if other proposals need not be played to the end. */
  async #keepIfBetter(found: readonly Proposal[], most?: number): Promise<boolean> {
    if (found.length === 0) return false;
    for (const { text } of found) this.#tried.add(text);
    const kept = this.proposals.filter(({ setting }) => found.every((one) => one.setting !== setting));
    const proposals = [...kept, ...found];
    const applied = await this.#apply(proposals);
    const next = applied && (await evaluate(this.#traffic, applied, most));
    if (!next || !isBetter(next, this.evaluation)) return false;
    const left = new Set(next.findings.map(toFindingKey));
    for (const finding of this.evaluation.findings) {
      const settling = found.find(({ setting }) => setting === finding.setting) ?? found[0];
      if (settling && !left.has(toFindingKey(finding))) this.settled.set(toFindingKey(finding), settling.text);
    }
    this.proposals = proposals;
    this.evaluation = next;
    this.#tried.clear();
    return true;
  }
}

/** Whether an evaluation has more agreement, or as much with fewer differences. */
function isBetter(next: Evaluation, present: Evaluation): boolean {
  if (next.cases.length !== present.cases.length) return next.cases.length > present.cases.length;
  if (next.agreed !== present.agreed) return next.agreed > present.agreed;
  return next.findings.length < present.findings.length;
}
