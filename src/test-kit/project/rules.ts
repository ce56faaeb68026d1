/** Activates scenarios and single failures in a project, and says which of their rules fired. */
import { durationHelp } from '../../lib/duration.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { operations } from '../../openapi/api.gen.ts';
import { operationIds } from '../../operations/index.ts';
import type { BodyFault, CallbackOrder, ConnectionFault, SignatureFault } from '../../scenarios/effects/effect.ts';
import { stages } from '../../scenarios/explain.ts';
import {
  type FailureKind as Failure,
  failureKinds,
  isCallbackKind,
  type OperationTraits,
} from '../../scenarios/failure-kinds.ts';
import { matchesAny, toGlobs } from '../../scenarios/glob.ts';
import type { ControlClient } from '../control-client.ts';
import { readTraits } from '../failures/cases.ts';
import { checkAll, checkArguments, isJson, mistakeAt, show, withChecks } from '../methods.ts';
import { SandboxError } from '../sandbox-error.ts';
import { readScenarios } from '../scenario-files.ts';
import type {
  ActiveScenarios,
  Duration,
  ExpectationView,
  JournalRequest,
  OperationName,
  ScenarioInput,
} from '../types.ts';
import { checkDuration } from './waiting.ts';

type Responses = { readonly [Id in OperationName]: keyof operations[Id]['responses'] };

/** Statuses of failures. The others are successes, or no failures of the service. */
type Status = Exclude<Responses[OperationName], 200 | 201 | 202 | 405 | 507>;

/** A kind of failure of the catalog. */
export type FailureKind =
  | 'refused'
  | 'failed-downstream'
  | `status-${Status}`
  | 'status-504-processed'
  | 'latency'
  | 'limit'
  | `connection-${ConnectionFault}`
  | `connection-${ConnectionFault}-processed`
  | 'callback-delay'
  | 'callback-copies'
  | 'callback-drop'
  | `callback-order-${CallbackOrder}`
  | `callback-signature-${SignatureFault}`
  | `callback-body-${BodyFault}`;

/** A scenario: a name, a file (`./outage.yaml`), an object, a YAML text, or a failure of `failureCases`. */
export type UsedScenario = string | ScenarioInput | { readonly yaml: string };

/** When a failure happens, and to which entries. */
export interface FailOptions {
  /** How often, at most. Default: every time. */
  readonly times?: number;
  /** Only the request of this number, from 1, counted from this call. */
  readonly nth?: number;
  /** Only entries with one of these ids, which may be globs such as `ORD-*`. */
  readonly ids?: string | readonly string[];
  /**
   * For entries that fail downstream: the time until they do, on the project's clock. For all other kinds: the time until
   * the failure begins to happen.
   */
  readonly after?: Duration;
  /** For responses and connections: whether the request takes effect all the same. */
  readonly processed?: boolean;
}

/** A failure that was added to a project. */
export interface AddedFailure {
  /** Name of its scenario. */
  readonly name: string;
  /**
   * Returns how many requests or callbacks it was applied to. An entry that is to fail downstream counts when it is accepted.
   * @throws SandboxError if it ended with `useOnly` or `reset`
   */
  fired(): Promise<number>;
  /** Ends it. Later requests are handled as before; what was accepted until then fails as planned. */
  stop(): Promise<void>;
}

/** A rule of an active scenario. */
export interface RuleState {
  readonly scenario: string;
  readonly rule: string;
  /** Number of requests or callbacks that met its other conditions. */
  readonly matched: number;
  /** How often it fired. */
  readonly fired: number;
  /** How often it can still fire; null without `times`. */
  readonly left: number | null;
}

/** The rules and expectations that are active in a project. */
export interface ScenarioStates {
  readonly rules: readonly RuleState[];
  readonly expectations: readonly ExpectationView[];
}

export interface ProjectRules {
  /**
   * Makes requests of an operation, or of those that a glob matches, fail in one of the ways of the catalog, before all
   * that is active.
   * @throws SandboxError if there is no such operation or kind, or if the operation cannot fail so
   */
  fail(operation: OperationName | (string & {}), kind: FailureKind, options?: FailOptions): Promise<AddedFailure>;
  /** Activates scenarios in front of those that are active, which continue with their counts. */
  use(...scenarios: readonly UsedScenario[]): Promise<ActiveScenarios>;
  /** Activates only these scenarios, the first with the highest priority; without arguments, none. */
  useOnly(...scenarios: readonly UsedScenario[]): Promise<ActiveScenarios>;
  /** Returns the active rules, those of all projects too, with what they did, and the expectations. */
  scenarios(): Promise<ScenarioStates>;
  /**
   * Checks that each rule of the project's own scenarios has fired, and that all expectations are met.
   * @throws SandboxError that names each that has not, with the request that came nearest
   */
  verify(): Promise<void>;
}

/** Creates the scenarios of the project at a path of the control API. */
export function createProjectRules(client: ControlClient, path: string): ProjectRules {
  const at = `${path}/scenarios`;
  const changes = client.changesOf(at);

  const read = (): Promise<ActiveScenarios> => client.ask('GET', at);
  const put = (scenarios: readonly (string | ScenarioInput)[], keep: boolean): Promise<ActiveScenarios> =>
    client.ask('PUT', at, { scenarios, keep });

  function add(scenarios: readonly (string | ScenarioInput)[]): Promise<ActiveScenarios> {
    const names = new Set(scenarios.map(nameOf));
    return changes.run(async () => {
      const active = (await read()).scenarios;
      return put([...scenarios, ...active.filter((name) => !names.has(name))], true);
    });
  }

  async function fail(operation: string, kind: FailureKind, options: FailOptions = {}): Promise<AddedFailure> {
    const rule = await toRule(client, operation, kind, options);
    const name = await changes.run(async () => {
      const { scenarios } = await read();
      // A name is not used again: an earlier failure must not ask about this one, or end it.
      do changes.added += 1;
      while (scenarios.includes(`fail-${changes.added}-${kind}`));
      const free = `fail-${changes.added}-${kind}`;
      await put([{ name: free, rules: [rule] }, ...scenarios], true);
      return free;
    });
    let atEnd: number | undefined;
    const fired = async (): Promise<number> => {
      if (atEnd !== undefined) return atEnd;
      const own = (await read()).rules.find(({ scenario }) => scenario === name);
      if (own) return own.acted;
      throw new SandboxError(
        `${name}: it is not known how often it happened, because its counts ended with useOnly() or reset(): ask before`,
        { code: 'gone' },
      );
    };
    return {
      name,
      ...withChecks('', {
        fired,
        stop: () =>
          changes.run(async () => {
            const { scenarios } = await read();
            if (!scenarios.includes(name)) return;
            atEnd = await fired();
            const others = scenarios.filter((one) => one !== name);
            await put(others, true);
          }),
      }),
    };
  }

  async function readStates(): Promise<ScenarioStates> {
    const [{ rules }, { items }] = await Promise.all([
      read(),
      client.ask<{ readonly items: readonly ExpectationView[] }>('GET', `${path}/expectations`),
    ]);
    const toState = ({ met, acted, ...rule }: ActiveScenarios['rules'][number]): RuleState => ({
      ...{ scenario: rule.scenario, rule: rule.rule },
      ...{ matched: met, fired: acted, left: rule.left },
    });
    return { rules: rules.map(toState), expectations: items };
  }

  async function verify(): Promise<void> {
    const own = new Set((await read()).scenarios);
    const { rules, expectations } = await readStates();
    const unfired = rules.filter(({ scenario, fired }) => own.has(scenario) && fired === 0);
    const unmet = expectations.filter(({ scenario, met }) => own.has(scenario) && !met);
    if (unfired.length === 0 && unmet.length === 0) return;
    const requests =
      unfired.length === 0 ? [] : await client.list<JournalRequest>(`${path}/requests`, { bodies: false });
    const violations = [
      ...unfired.map((rule) => ({ path: toPlace(rule), message: `never fired; ${describeNearest(rule, requests)}` })),
      ...unmet.map(({ scenario, why }) => ({ path: scenario, message: `an expectation is not met: ${why}` })),
    ];
    const count = violations.length === 1 ? 'something' : `${violations.length} things`;
    throw new SandboxError(`verify: ${count} did not happen`, { code: 'not_verified', violations });
  }

  return withChecks<ProjectRules>('', {
    fail,
    use: async (...given) => add(await readScenarios(given.map(toInput))),
    useOnly: async (...given) => {
      const scenarios = await readScenarios(given.map(toInput));
      return changes.run(() => put(scenarios, false));
    },
    scenarios: readStates,
    verify,
  });
}

/** Returns the YAML of a failure of `failureCases`. @throws SandboxError if it is no scenario at all */
function toInput(given: UsedScenario): string | ScenarioInput {
  if (typeof given === 'object' && given !== null && isJson(given)) return 'yaml' in given ? given.yaml : given;
  if (typeof given === 'string') return given;
  throw mistakeAt('', `expected a name, a file, a YAML text, a scenario or a failure, got ${show(given)}`);
}

function nameOf(scenario: string | ScenarioInput): string {
  return typeof scenario === 'string' ? scenario : scenario.name;
}

function toPlace({ scenario, rule }: RuleState): string {
  return `${scenario}, ${rule}`;
}

/** Describes the request that came nearest to firing a rule, the latest of several. */
function describeNearest({ scenario, rule }: RuleState, requests: readonly JournalRequest[]): string {
  let nearest: { readonly distance: number; readonly text: string } | undefined;
  for (const { id, operation, method, path, rules } of requests) {
    const seen = rules.find((one) => one.scenario === scenario && one.rule === rule);
    const distance = seen ? stages.indexOf(seen.stage) : -1;
    if (!seen || distance < (nearest?.distance ?? 0)) continue;
    nearest = { distance, text: `the nearest request, ${operation ?? `${method} ${path}`} ${id}: ${seen.why}` };
  }
  if (nearest) return nearest.text;
  return requests.length === 0 ? 'the project received no requests' : 'no request got as far as its conditions';
}

/** Returns the only rule of a failure. @throws SandboxError with all mistakes */
async function toRule(
  client: ControlClient,
  operation: string,
  kind: string,
  options: FailOptions,
): Promise<ScenarioInput['rules'][number]> {
  const traits = await readTraits(client);
  const { times, nth, ids, after, processed } = Object(options) as FailOptions;
  const [failure, , span] = checkAll(
    () => findFailure(traits, operation, kind),
    () => checkArguments('failArguments', [operation, kind, options]),
    () => (after === undefined ? undefined : checkDuration('after', after, `milliseconds or ${durationHelp}`)),
    () => {
      if (processed === true && !/^(status|connection)-/.test(kind))
        throw mistakeAt('processed', `only responses and connections have it, got the kind ${kind}`);
    },
  );
  const { parse } = await import('yaml');
  const effect = isCallbackKind(failure) ? failure.effect : (failure.caseEffect?.(1) ?? failure.effect);
  const then = parse(effect) as ScenarioInput['rules'][number]['then'];
  const isDownstream = 'fail' in then;
  return {
    name: kind,
    when: {
      operation,
      ...(ids !== undefined && { item: { id: ids } }),
      ...(nth !== undefined && { request: { nth } }),
      ...(span !== undefined && !isDownstream && { during: { after: span } }),
    },
    ...(times !== undefined && { times }),
    then: {
      ...then,
      ...(span !== undefined && isDownstream && { after: span }),
      ...(processed === true && { processed }),
    },
  };
}

/** Returns a kind of failure. @throws SandboxError */
function findFailure(traits: ReadonlyMap<string, OperationTraits>, operation: string, kind: string): Failure {
  const ids = typeof operation === 'string' ? operationIds.filter((id) => matchesAny(toGlobs(operation), id)) : [];
  if (ids.length === 0)
    throw mistakeAt(
      'operation',
      `expected an operationId or a glob that matches one, got ${show(operation)}${didYouMean(String(operation), operationIds)}`,
    );
  const found = ids.flatMap((id) => traits.get(id) ?? []).flatMap(failureKinds);
  const all = new Map(found.map((failure) => [failure.kind, failure]));
  const failure = all.get(kind);
  if (!failure) {
    const kinds = [...all.keys()];
    const suggestion = didYouMean(String(kind), kinds) || `; its kinds are ${kinds.join(', ')}`;
    const has = ids.length === 1 ? ids[0] : operation;
    throw mistakeAt('kind', `expected a kind of failure that ${has} has, got ${show(kind)}${suggestion}`);
  }
  return failure;
}
