/** A sweep of a client of four operations, with all verdicts. */

import { type SweepCase, type SweepReport, summarize } from '../../src/sweep-report/report.ts';
import type { Verdict } from '../../src/sweep-report/verdicts.ts';

const reportKinds = /^(refused|failed-downstream|status-4(?!08|25|29)|callback-(drop|signature|body))/;

/** Creates a case from its id. */
export function createCase(id: string, verdict: Verdict, detail: string, more: Partial<SweepCase> = {}): SweepCase {
  const [operation = '', kind = '', place = ''] = id.split('/');
  const always = place === 'always';
  const expects = always || reportKinds.test(kind) ? 'report' : 'recovery';
  const times = always ? 'every time' : place === '1' ? 'once' : `at request ${place}`;
  return {
    case: id,
    operation,
    kind,
    occurrence: always ? null : Number(place),
    always,
    expects,
    verdict,
    detail: `${operation} met ${kind} ${times}: ${detail}`,
    exitCode: ['failed', 'reported'].includes(verdict) ? 1 : ['hung', 'retrying'].includes(verdict) ? null : 0,
    requests: 12,
    durationMs: 1240,
    ...more,
  };
}

/** Creates a bad case, with its files. */
function createBad(id: string, verdict: Verdict, detail: string, more: Partial<SweepCase> = {}): SweepCase {
  const file = `sweep/${id.replaceAll('/', '-')}`;
  return createCase(id, verdict, detail, {
    scenario: `${file}.yaml`,
    recordings: [`${file}/demo.json`],
    output: `${file}.log`,
    found: detail.replace('the command passed, but ', ''),
    ...more,
  });
}

const passed = 'the command passed, and the records are those of the baseline';
const exited = 'the command exited with 1';
const recovered = (...ids: readonly string[]) => ids.map((id) => createCase(id, 'recovered', passed));
const reported = (...ids: readonly string[]) => ids.map((id) => createCase(id, 'reported', exited));

const cases: readonly SweepCase[] = [
  ...reported('asyncImportJobs/refused/1', 'asyncImportJobs/status-400/1', 'asyncImportJobs/status-503/always'),
  createBad(
    'asyncImportJobs/failed-downstream/1',
    'unnoticed',
    'the command passed, but 1 job is missing: ORD-1; it printed nothing about it',
  ),
  createCase('asyncImportJobs/status-429/1', 'flaky', 'failed, then recovered'),
  createBad('asyncImportJobs/status-503/1', 'unnoticed', 'the command passed, but 3 jobs are missing: ORD-1, ORD-2, …'),
  createBad(
    'asyncImportJobs/status-502/1',
    'unnoticed',
    'the command passed, but 3 jobs are missing: ORD-1, ORD-2, …',
    {
      sameAs: 'asyncImportJobs/status-503/1',
    },
  ),
  createBad('asyncImportJobs/status-504-processed/1', 'duplicated', 'the command passed, but 3 jobs exist twice'),
  ...recovered('asyncImportJobs/latency/1', 'asyncImportJobs/connection-reset/1', 'asyncImportJobs/connection-reset/2'),
  createBad('asyncImportJobs/connection-hang/1', 'hung', 'the command was ended after 10 s, and sent nothing for 5 s'),
  createCase('asyncImportJobs/connection-hang/always', 'retrying', 'the command was ended after 70 s, still sending'),
  createBad('asyncImportJobs/callback-copies/1', 'failed', exited, { error: 'AssertionError: one job too many' }),
  createBad(
    'asyncImportJobs/callback-signature-invalid/1',
    'accepted-forgery',
    'the receiver answered 200 to a callback with a wrong signature',
  ),
  ...reported('asyncImportJobs/callback-drop/1', 'asyncImportJobs/callback-signature-missing/1'),

  ...recovered('syncImportOrders/status-429/1', 'syncImportOrders/status-502/1', 'syncImportOrders/status-503/1'),
  ...reported('syncImportOrders/refused/1', 'syncImportOrders/status-400/1'),
  createBad('syncImportOrders/connection-reset/1', 'storm', 'it sent 412 requests; the baseline sent 4'),
  createCase('syncImportOrders/connection-truncate/1', 'logged', '1 order is missing, and the output names it: O-7'),
  createCase('syncImportOrders/connection-close/2', 'not-reached', 'the rule never fired'),

  ...recovered('submitLocation/status-503/1', 'submitLocation/connection-reset/1'),
  createCase('submitLocation/latency/1', 'tolerated', '1 location is missing; a newer one of its device follows'),
  createBad('submitLocation/limit/1', 'impatient', 'sent again after 0.2 s; retry-after: 1 s'),
  ...reported('submitLocation/status-400/1', 'submitLocation/connection-hang/always'),
];

/** Creates the report of these cases. */
export function createReport(all: readonly SweepCase[], more: Partial<SweepReport> = {}): SweepReport {
  const operations = Object.fromEntries(all.map(({ operation }) => [operation, 4]));
  const baseline = { requests: 12, durationMs: 1234, operations };
  const empty = { baseline, cases: all, summary: {}, notTried: 0 };
  return { ...empty, summary: summarize(all), ...more };
}

/** A sweep that was stopped before 34 of its cases. The last operation was not swept. */
export const sample: SweepReport = createReport(cases, {
  baseline: {
    requests: 13,
    durationMs: 1234,
    operations: { asyncImportJobs: 4, syncImportOrders: 4, submitLocation: 4, getDriver: 1 },
  },
  notTried: 34,
  omitted: [{ what: 'callback-order-reverse', why: 'a project of the command must have two callbacks' }],
});
