/** Judges a run under scenarios as a sweep judges one under a case: by its exit code, its output and its records. */
import { failureKindsOf } from '../../scenarios/failure-kinds.ts';
import { countOperations } from '../sweep/baseline.ts';
import type { Differences } from '../sweep/compare/compare.ts';
import {
  type BaselineFacts,
  type JudgedFailure,
  type JudgedRun,
  type Judgement,
  judge,
  maxRequests,
} from '../sweep/judge/judge.ts';
import type { TrialResult } from '../trial/trial.ts';
import type { Failure } from './prove.ts';

interface ScenarioRun extends Pick<JudgedRun, 'differences' | 'fired'> {
  readonly result: TrialResult;
}

export function judgeScenarios({ scenarios }: Failure, run: ScenarioRun, baseline: BaselineFacts): Judgement {
  const effects = scenarios.flatMap(({ source }) => source.rules.map((rule) => rule.then));
  // Of a storm, the operation that was called too often; otherwise any.
  const [operation, requests] = [...countOperations(run.result)].find(
    ([id, sent]) => sent > maxRequests(baseline.operations.get(id) ?? 0),
  ) ?? [undefined, 0];
  const reasons = effects.flatMap(({ refuse, fail }) => [refuse ?? [], fail ?? []].flat());
  const failure = {
    operation,
    expects: 'recovery' as const,
    kinds: effects.flatMap(failureKindsOf),
    reasons,
    names: new Set(scenarios.map(({ name }) => name)),
  };
  const finding = judge({ ...run, failure, requests, differences: toJudged(run.differences, failure) }, baseline);
  return {
    ...finding,
    detail: reasons.length > 0 && finding.verdict === 'recovered' ? 'the command passed' : finding.what,
  };
}

/** Entries that the scenario itself refuses are missing even if the command handles that: its exit code decides. */
function toJudged(differences: Differences, { reasons }: Pick<JudgedFailure, 'reasons'>): Differences {
  return reasons.length === 0 ? differences : { ...differences, missing: [], differing: [], missingChanges: [] };
}
