/** Searches the proposals with which the sandbox agrees most with the traffic. */
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import { toDifferenceKey } from '../compare/difference.ts';
import type { Evaluation, Evaluator } from '../evaluate.ts';
import { settleErrorBodies, settleResultBodies } from './bodies.ts';
import { settleUnknownFields, tryLooserSchemas } from './overlay.ts';
import { settlePaths } from './paths.ts';
import { type OverlayAction, type Proposal, type Trial, toActions, toPatch } from './proposal.ts';
import { tryRequired } from './required.ts';
import { settleErrorStatuses, settleResponseHeaders, settleSuccessStatuses } from './statuses.ts';
import { tryTransitions } from './transitions.ts';
import { tryValues } from './values.ts';

/** Applies proposals to the profile in question. Returns undefined if the profile becomes invalid. */
export type ApplyProposals = (patch: Json, actions: readonly OverlayAction[]) => Promise<AppliedProfile | undefined>;

/** What the responses themselves show. Paths come first: at another path, an operation has no response of its own. */
const direct = [
  [settlePaths],
  [settleSuccessStatuses, settleErrorStatuses, settleResponseHeaders],
  [settleErrorBodies, settleResultBodies, settleUnknownFields],
] as const;

/** What only a trial shows, in the order in which a difference is explained. */
const trials = [tryRequired, tryValues, tryTransitions, tryLooserSchemas] as const;

/** Maximum number of trials. */
const maxTrials = 40;

/** Maximum number of times that direct proposals are derived from what is left. */
const maxRounds = 6;

export class Search {
  readonly #evaluator: Evaluator;
  readonly #apply: ApplyProposals;
  /** Texts of the direct proposals that were tried. */
  readonly #tried = new Set<string>();
  #trials = 0;
  #proposals: readonly Proposal[];
  #evaluation: Evaluation;

  private constructor(evaluator: Evaluator, apply: ApplyProposals, first: readonly Proposal[], evaluation: Evaluation) {
    this.#evaluator = evaluator;
    this.#apply = apply;
    this.#proposals = first;
    this.#evaluation = evaluation;
  }

  /** Starts with proposals that are known to be valid together. */
  static async start(evaluator: Evaluator, apply: ApplyProposals, first: readonly Proposal[]): Promise<Search> {
    const applied = await apply(toPatch(first), toActions(first));
    const evaluation = applied && (await evaluator.evaluate(applied));
    if (!evaluation) throw new Error('the first proposals are not valid together');
    return new Search(evaluator, apply, first, evaluation);
  }

  get proposals(): readonly Proposal[] {
    return this.#proposals;
  }

  get evaluation(): Evaluation {
    return this.#evaluation;
  }

  /** Adds the direct proposals, until nothing new is found. */
  async settleDirectly(): Promise<void> {
    for (let round = 0; round < maxRounds; round += 1) {
      const found = direct
        .map((settlers) => settlers.flatMap((settle) => settle(this.#evaluation)))
        .map((proposals) => proposals.filter(({ text }) => !this.#tried.has(text)))
        .find(({ length }) => length > 0);
      if (!found) return;
      for (const { text } of found) this.#tried.add(text);
      if (await this.#keepIfBetter([...this.#proposals, ...found])) continue;
      for (const proposal of found) await this.#keepIfBetter([...this.#proposals, proposal]);
    }
  }

  /** Tries guesses one after another, as long as there are differences that they may settle. */
  async tryGuesses(): Promise<void> {
    for (let isBetter = true; isBetter; ) {
      isBetter = false;
      for (const derive of trials)
        for (const trial of derive(this.#evaluation)) isBetter = (await this.#try(trial)) || isBetter;
      if (isBetter) await this.settleDirectly();
    }
  }

  async #try({ isAbout, ...trial }: Trial): Promise<boolean> {
    if (this.#trials >= maxTrials || !this.#evaluation.differing.some(isAbout)) return false;
    this.#trials += 1;
    const before = this.#evaluation.findings.map(toDifferenceKey);
    // Another value of the same key replaces the present one.
    const key = trial.text.slice(0, trial.text.indexOf(': ') + 1);
    const others = this.#proposals.filter(({ text }) => trial.actions !== undefined || !text.startsWith(key));
    const settled = new Set<string>();
    const proposal = {
      ...trial,
      settles: (finding: Parameters<typeof toDifferenceKey>[0]) => settled.has(toDifferenceKey(finding)),
    };
    const { cases, agreed } = this.#evaluation;
    if (!(await this.#keepIfBetter([...others, proposal], cases.length - agreed))) return false;
    const left = new Set(this.#evaluation.findings.map(toDifferenceKey));
    for (const one of before) if (!left.has(one)) settled.add(one);
    return true;
  }

  /** `most`: number of exchanges that may differ, if other proposals need not be played to the end. */
  async #keepIfBetter(proposals: readonly Proposal[], most?: number): Promise<boolean> {
    const applied = await this.#apply(toPatch(proposals), toActions(proposals));
    const next = applied && (await this.#evaluator.evaluate(applied, most));
    if (!next || !isBetter(next, this.#evaluation)) return false;
    this.#proposals = proposals;
    this.#evaluation = next;
    return true;
  }
}

/** Whether an evaluation has more agreement, or as much with fewer differences. */
function isBetter(next: Evaluation, present: Evaluation): boolean {
  if (next.cases.length !== present.cases.length) return next.cases.length > present.cases.length;
  if (next.agreed !== present.agreed) return next.agreed > present.agreed;
  return next.findings.length < present.findings.length;
}
