/** Finds the differences between traffic and a profile, and the proposals that settle them. */
import { ConfigError } from '../../config/config-error.ts';
import type { AppliedProfile } from '../../config/config-files.ts';
import { comparePaths, type Evaluation, evaluate, toFindingKey } from './compare.ts';
import type { UserMap } from './endpoint.ts';
import type { Exchange, MappedExchange } from './exchange.ts';
import { describeUnmapped, findPlaces, mapRoutes, type UnmappedGroup } from './map.ts';
import { isAgreed, toContract } from './play.ts';
import { type Proposal, proposeBodies, proposeHeaders, proposePaths, proposeStatuses } from './propose.ts';
import { proposeFields, proposeLooserSchemas } from './propose-overlay.ts';
import { proposeValues } from './propose-values.ts';

export interface Calibration {
  readonly mapped: readonly MappedExchange[];
  readonly unmapped: readonly UnmappedGroup[];
  /** Maps that match no exchange. */
  readonly unusedMaps: readonly UserMap[];
  /** Under the profile in question. */
  readonly before: Evaluation;
  /** With all proposals. */
  readonly after: Evaluation;
  readonly proposals: readonly Proposal[];
  /** The text of the proposals that settle a finding, by its key. */
  readonly settled: ReadonlyMap<string, string>;
}

/** Applies proposals to the profile. Returns why it becomes invalid, if it does. */
export type Apply = (
  proposals: readonly Proposal[],
) => Promise<AppliedProfile | { readonly mistakes: readonly string[] }>;

/** What the responses themselves show. */
const direct: readonly ((evaluation: Evaluation) => readonly Proposal[])[] = [
  (evaluation) => [...proposeStatuses(evaluation), ...proposeHeaders(evaluation)],
  (evaluation) => [...proposeBodies(evaluation), ...proposeFields(evaluation)],
];

/** Values are tried with the first exchanges of a long traffic. */
const sampleSize = 600;

/** Maximum number of values that are tried. */
const maxTrials = 40;

const invalidPaths = 'a profile cannot have the paths of the traffic with these operations; name others by --map:';

/** @throws ConfigError if no profile can have the paths */
export async function calibrate(
  exchanges: readonly Exchange[],
  userMaps: readonly UserMap[],
  present: AppliedProfile,
  apply: Apply,
): Promise<Calibration> {
  const contract = toContract(present);
  const places = findPlaces(exchanges, contract, userMaps);
  // At another path, an operation has no response of its own: the paths of the traffic are part of every comparison.
  const paths = proposePaths(places, present.profile);
  const applied = await apply(paths);
  if ('mistakes' in applied) throw new ConfigError([invalidPaths, ...applied.mistakes]);
  const wanted = new Set([...places.routed, ...[...places.moved.values()].flatMap((move) => move.exchanges)]);
  const mapped = mapRoutes(
    exchanges.filter((exchange) => wanted.has(exchange)),
    toContract(applied),
  );
  const first = await evaluate(mapped, applied);
  const pathFindings = comparePaths(places, contract);
  const agreed = first.cases.filter((one) => isAgreed(one) && places.routed.has(one.mapped.exchange)).length;
  const before = { ...first, agreed, findings: [...pathFindings, ...first.findings] };
  const sample = mapped.slice(0, sampleSize);
  const tried = new Settling(sample, apply, paths, await evaluate(sample, applied));
  await tried.settle(maxTrials);
  const whole = new Settling(mapped, apply, tried.proposals, await evaluate(mapped, tried.evaluation.applied));
  await whole.settle(0);
  const { proposals, evaluation: after } = whole;
  const common = { mapped, unmapped: describeUnmapped(exchanges, mapped), unusedMaps: places.unusedMaps, before };
  const isGain = isUseful(after, before) || userMaps.length > 0;
  if (!isGain) return { ...common, after: before, proposals: [], settled: new Map() };
  const settledPaths = pathFindings.map((finding) => [toFindingKey(finding), paths[0]?.text ?? ''] as const);
  return { ...common, after, proposals, settled: new Map([...settledPaths, ...tried.settled, ...whole.settled]) };
}

/** Whether proposals do more than to move paths: a path that agrees nowhere is a guess. */
function isUseful(after: Evaluation, before: Evaluation): boolean {
  const countOthers = ({ findings }: Evaluation): number => findings.filter(({ kind }) => kind !== 'path').length;
  return after.agreed > before.agreed || countOthers(after) < countOthers(before);
}

/** Keeps the proposals that help. None is tried twice. */
class Settling {
  readonly #mapped: readonly MappedExchange[];
  readonly #apply: Apply;
  readonly #tried = new Set<string>();
  proposals: readonly Proposal[];
  evaluation: Evaluation;
  readonly settled = new Map<string, string>();

  /** `given`: proposals under which the exchanges were evaluated. */
  constructor(mapped: readonly MappedExchange[], apply: Apply, given: readonly Proposal[], evaluation: Evaluation) {
    this.#mapped = mapped;
    this.#apply = apply;
    this.proposals = given;
    this.evaluation = evaluation;
  }

  /** Keeps what the responses show, then each value that helps, of at most `trials`. */
  async settle(trials: number): Promise<void> {
    await this.#settleDirectly();
    for (let left = trials; left > 0; left -= 1) {
      const all = [...proposeValues(this.evaluation), ...proposeLooserSchemas(this.evaluation)];
      const next = all.find(({ text }) => !this.#tried.has(text));
      if (!next) return;
      const { cases, agreed } = this.evaluation;
      if (await this.#keepIfBetter([next], cases.length - agreed)) await this.#settleDirectly();
    }
  }

  /** Keeps what the responses show: all together, or each that helps. */
  async #settleDirectly(): Promise<void> {
    for (const derive of direct) {
      const found = derive(this.evaluation).filter(({ text }) => !this.#tried.has(text));
      if (await this.#keepIfBetter(found)) continue;
      if (found.length > 1) for (const proposal of found) await this.#keepIfBetter([proposal]);
    }
  }

  /** `most`: number of exchanges that may differ, if other proposals need not be played to the end. */
  async #keepIfBetter(found: readonly Proposal[], most?: number): Promise<boolean> {
    if (found.length === 0) return false;
    for (const { text } of found) this.#tried.add(text);
    const kept = this.proposals.filter(({ setting }) => found.every((one) => one.setting !== setting));
    const proposals = [...kept, ...found];
    const applied = await this.#apply(proposals);
    const next = 'mistakes' in applied ? undefined : await evaluate(this.#mapped, applied, most);
    if (!next || !isBetter(next, this.evaluation)) return false;
    const left = new Set(next.findings.map(toFindingKey));
    for (const finding of this.evaluation.findings) {
      const settling = found.find(({ setting }) => setting === finding.setting) ?? found[0];
      if (settling && !left.has(toFindingKey(finding))) this.settled.set(toFindingKey(finding), settling.text);
    }
    this.proposals = proposals;
    this.evaluation = next;
    return true;
  }
}

/** Whether an evaluation has more agreement, or as much with fewer differences, none of which is new. */
function isBetter(next: Evaluation, present: Evaluation): boolean {
  if (next.agreed !== present.agreed) return next.agreed > present.agreed;
  const known = new Set(present.findings.map(toFindingKey));
  return next.findings.length < present.findings.length && next.findings.every((one) => known.has(toFindingKey(one)));
}
