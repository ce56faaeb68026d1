/** Applies a deferred command: runs its action, and returns the callbacks that report its entries. */
import { type FailureType, type NewCallback, toCompletionType } from '../../callbacks/callback.ts';
import type { CallbackFormat } from '../../callbacks/format.ts';
import type { Warning } from '../../lib/problem.ts';
import { createHash } from '../../lib/random.ts';
import type { ActionContext, Command, Failure } from '../../operations/command.ts';
import { operations } from '../../operations/index.ts';
import type { Applied, RecordReader, Write } from '../../records/records.ts';
import {
  type Counting,
  claimRule,
  metBy,
  type RecordedCounts,
  readServerCount,
  recordRuleFiring,
} from '../../scenarios/counts.ts';
import type { CallbackRule } from '../../scenarios/effects/effect.ts';
import { type DeferredCommand, sortFailures, withoutCauses } from './deferred-command.ts';

export interface RaisedCallback extends Omit<NewCallback, 'seed' | 'projectId' | 'atMs' | 'fault'> {
  readonly rule: CallbackRule | undefined;
}

/** Which callbacks report the entries of a command. */
export type Reporting = Pick<CallbackFormat, 'perEntry' | 'successes'>;

/** The time at which a command is applied, and the counts that it changes. */
interface Moment extends Counting {
  nextChange(): number;
}

interface AppliedCommand {
  readonly writes: readonly Write[];
  readonly warnings: readonly Warning[];
  readonly raised: readonly RaisedCallback[];
  /** The entries that failed, in the order of the request. */
  readonly failed: Applied['failed'];
}

/** Applies one command to the records. Counts the rules that change the delivery of its callbacks. */
export function applyCommand(
  deferred: DeferredCommand,
  reads: RecordReader,
  context: ActionContext,
  moment: Moment,
  reporting: Reporting,
): AppliedCommand {
  const operation = operations[deferred.operation];
  const { writes, failures, warnings } = operation.action(reads, deferred.command, context);
  const type = operation.callbackType;
  const reports = type ? toReports(deferred, failures, type, reporting) : [];
  const entriesOf = new Map(deferred.callbackRules.map(({ items, key }) => [key, items && new Set(items)]));
  const raised = reports.map(({ orders, ...report }): RaisedCallback => {
    const change = moment.nextChange();
    const rules = deferred.callbackRules.filter(({ key }) => {
      const entries = entriesOf.get(key);
      return !entries || orders.some((order) => entries.has(order));
    });
    const serverCounts = readServerCounts(rules, moment);
    return {
      requestId: deferred.requestId,
      operation: deferred.operation,
      subProjectId: deferred.command.subProjectId,
      trace: deferred.trace,
      ...report,
      change,
      rule: claimCallbackRule(rules, moment, change),
      ...(serverCounts && { serverCounts }),
    };
  });
  return { writes, warnings, raised, failed: sortFailures([...failures, ...deferred.failures]) };
}

/** What one callback reports. `orders`: the numbers of its entries. */
type Report = Pick<RaisedCallback, 'type' | 'failed' | 'succeeded' | 'entry'> & { readonly orders: readonly number[] };

/** Returns the content of the callbacks: of all entries together, or of each entry. */
function toReports(
  { command, failures: planned }: DeferredCommand,
  found: readonly Failure[],
  type: FailureType,
  { perEntry, successes }: Reporting,
): readonly Report[] {
  const failures = [...found, ...planned];
  const completed = toCompletionType(type);
  const done = successes ? listSucceeded(command, found) : [];
  if (!perEntry) {
    const failed = withoutCauses(sortFailures(failures));
    const succeeded = done.map(({ id }) => ({ id }));
    return [
      ...(failed.length > 0 ? [{ type, failed, orders: toOrders(failures) }] : []),
      ...(succeeded.length > 0 ? [{ type: completed, failed: [], succeeded, orders: toOrders(done) }] : []),
    ];
  }
  const all = [...failures, ...done].toSorted((one, other) => one.order - other.order);
  let routes = 0;
  return all.map((one): Report => {
    // A route is between the entries.
    if (!Number.isInteger(one.order)) routes += 1;
    const entry = Number.isInteger(one.order) ? String(one.order) : `route${routes}`;
    const { id } = one;
    const named = { entry, orders: [one.order] };
    return one.reason === undefined
      ? { type: completed, ...named, failed: [], succeeded: [{ id }] }
      : { type, ...named, failed: [{ id, reason: one.reason }] };
  });
}

function toOrders(entries: readonly { readonly order: number }[]): readonly number[] {
  return entries.map(({ order }) => order);
}

/** Returns the entries without a failure, and the routes that were stored, in order: of others, all jobs have failed. */
function listSucceeded(
  { entries, routes = [] }: Command,
  failures: readonly Failure[],
): readonly { readonly order: number; readonly id: string; readonly reason?: undefined }[] {
  const failed = new Set(failures.map(({ order }) => order));
  const accepted = entries.filter(({ item }) => !failed.has(item));
  const withJobs = new Set(accepted.map(({ route }) => route));
  return routes
    .filter(({ order, isEmpty }, index) => (isEmpty ? !failed.has(order) : withJobs.has(index)))
    .map(({ order, id }) => ({ order, id }))
    .concat(accepted.map(({ item, id }) => ({ order: item, id })))
    .toSorted((one, other) => one.order - other.order);
}

/** Reads the counts of the rules that count callbacks of all projects. Returns undefined if there are none. */
function readServerCounts(rules: readonly CallbackRule[], moment: Moment): RecordedCounts | undefined {
  const counted = rules.filter(({ countsCallbacks, isServerWide }) => countsCallbacks && isServerWide);
  if (counted.length === 0) return undefined;
  return Object.fromEntries(counted.map(({ key }) => [key, readServerCount(key, moment)]));
}

/**
 * Returns the first rule that applies. Rules that count callbacks are all claimed here, even if an earlier rule
 * applies; other rules were claimed when the request was accepted.
 */
function claimCallbackRule(rules: readonly CallbackRule[], moment: Moment, change: number): CallbackRule | undefined {
  let first: CallbackRule | undefined;
  for (const rule of rules) {
    const applies = !rule.countsCallbacks || claimsTurn(rule, moment);
    if (!applies || first) continue;
    first = rule;
    if (rule.countsCallbacks) recordRuleFiring(rule, moment, change);
  }
  return first;
}

function claimsTurn(rule: CallbackRule, moment: Moment): boolean {
  const { turn, chance, hashed } = rule;
  if (claimRule(rule, turn, moment)) return false;
  return chance === undefined || createHash(...hashed).fraction(`chance:${metBy(rule, moment)}`) < chance;
}
