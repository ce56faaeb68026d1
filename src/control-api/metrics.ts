/** Control API handler for metrics in Prometheus's format; loads the Prometheus library at the first request. */
import type { Registry } from 'prom-client';
import { durationBounds, type OperationCounters } from '../journal/counters.ts';
import { callbackStates } from '../scenarios/types.ts';
import { limitNames } from '../usage/limits.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';

type Client = typeof import('prom-client');

/** Limits that reject requests; each has a series from the start, even with no rejections. */
const limits = [...limitNames, 'memory', 'bodies'] as const;

const durationName = 'sandbox_request_duration_seconds';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

export const metricHandlers: ControlHandlers<'getMetrics'> = {
  getMetrics: async (parts) => {
    const client = await import('prom-client');
    const registry = new client.Registry();
    if (parts.controlPlacement) registry.setDefaultLabels({ replica: parts.controlPlacement.replica.id });
    fillCounters(client, registry, parts);
    fillGauges(client, registry, parts);
    return { status: 200, text: await registry.metrics() };
  },
};

function fillCounters(client: Client, registry: Registry, parts: ControlParts): void {
  const { counters, processCounters, admission, projects } = parts;
  const count = (name: string, help: string, labelNames: readonly string[], samples: readonly Sample[]): void => {
    const counter = new client.Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
    for (const [labels, value] of samples) counter.inc(labels, value);
  };
  const requests = [...counters.operations].flatMap(([operation, { byStatus }]) =>
    [...byStatus].map(([status, value]): Sample => [{ operation, status: String(status) }, value]),
  );
  const attempts = Object.entries(counters.attempts).map(([outcome, value]): Sample => [{ outcome }, value]);
  const requestHelp = 'Requests to the API. Status 0: a scenario broke the connection before a status was sent.';
  count('sandbox_requests_total', requestHelp, ['operation', 'status'], requests);
  count('sandbox_callback_attempts_total', 'Attempts to deliver a callback, by outcome.', ['outcome'], attempts);
  const droppedHelp = 'Log lines that could not be written: the disk was full, or nothing read the pipe.';
  count('sandbox_log_lines_dropped_total', droppedHelp, [], [[{}, processCounters.logLinesDropped]]);
  const escapedHelp = 'Errors that no other handler caught. The log contains each of them.';
  count('sandbox_escaped_errors_total', escapedHelp, [], [[{}, processCounters.errorsEscaped]]);
  const refused = limits.map((limit): Sample => [{ limit }, admission.rejectedCounts.get(limit) ?? 0]);
  count('sandbox_refused_total', 'Requests that a limit rejected.', ['limit'], refused);
  count(
    'sandbox_evicted_projects_total',
    'Idle projects that were evicted to make room for others.',
    [],
    [[{}, projects.evictedCount()]],
  );
  // Registered directly: the library's histogram accepts only single durations, but the counts already exist.
  registry.registerMetric({ name: durationName, get: async () => toHistogram(counters.operations) } as never);
}

function toHistogram(operations: ReadonlyMap<string, OperationCounters>) {
  const values = [...operations].flatMap(([operation, { byDuration, totalMs }]) => {
    let sum = 0;
    const buckets = byDuration.map((count, place) => {
      sum += count;
      const bound = durationBounds[place];
      const le = bound === undefined ? '+Inf' : bound / 1000;
      return { metricName: `${durationName}_bucket`, labels: { le, operation }, value: sum };
    });
    return [
      ...buckets,
      { metricName: `${durationName}_sum`, labels: { operation }, value: totalMs / 1000 },
      { metricName: `${durationName}_count`, labels: { operation }, value: sum },
    ];
  });
  const help = "Time from a request's head to its response, including delays by scenarios.";
  return { name: durationName, help, type: 'histogram', aggregator: 'sum', values };
}

function fillGauges(client: Client, registry: Registry, parts: ControlParts): void {
  const show = (name: string, help: string, samples: readonly Sample[]): void => {
    const labelNames = Object.keys(samples[0]?.[0] ?? {});
    const gauge = new client.Gauge({ name, help, labelNames, registers: [registry] });
    for (const [labels, value] of samples) gauge.set(labels, value);
  };
  const one = (name: string, help: string, value: number): void => show(name, help, [[{}, value]]);
  const projects = parts.projects.list();
  const states = new Map<string, number>(callbackStates.map((state) => [state, 0]));
  const queue = { instruction: 0, callback: 0 };
  for (const project of projects) {
    for (const { state } of project.state.callbacks.values()) states.set(state, (states.get(state) ?? 0) + 1);
    const { instructions, callbacks } = project.pending();
    queue.instruction += instructions;
    queue.callback += callbacks;
  }
  const { rss, heapUsed } = process.memoryUsage();
  show(
    'sandbox_callbacks',
    'Stored callbacks, by state.',
    [...states].map(([state, value]) => [{ state }, value]),
  );
  show(
    'sandbox_queue_depth',
    'Deferred commands and callbacks that are pending.',
    Object.entries(queue).map(([kind, value]) => [{ kind }, value]),
  );
  one('sandbox_worlds', 'Projects in memory.', projects.length);
  one('sandbox_journal_requests', 'Requests in the journal.', parts.journal.size());
  one('sandbox_event_followers', 'Subscribers of events.', parts.events.subscriberCount());
  const { admission, journal } = parts;
  const sizes = projects.map(({ usage, id }) => usage.bytes + journal.bytes(id));
  one('sandbox_memory_bytes', 'Estimated memory that counts towards the limit.', Math.ceil(admission.bytes()));
  one('sandbox_memory_limit_bytes', 'Maximum of the estimated memory, set by --memory.', admission.memory.limit);
  one('sandbox_largest_project_bytes', 'Estimated memory of the largest project.', Math.ceil(Math.max(0, ...sizes)));
  one('process_start_time_seconds', 'Start time of the process, in seconds since 1970.', performance.timeOrigin / 1000);
  one('process_resident_memory_bytes', 'Resident memory of the process.', rss);
  one('nodejs_heap_size_used_bytes', 'Memory used in the heap of V8.', heapUsed);
}
