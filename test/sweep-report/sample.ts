/** A sweep of a client of four operations, with all verdicts, and cases of tests. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
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

/** Creates the report of these cases. */
export function createReport(all: readonly SweepCase[], more: Partial<SweepReport> = {}): SweepReport {
  const operations = Object.fromEntries(all.map(({ operation }) => [operation, 4]));
  const baseline = { requests: 12, durationMs: 1234, operations };
  const empty = { baseline, cases: all, summary: {}, notTried: 0 };
  return { ...empty, summary: summarize(all), ...more };
}

/** A sweep that was stopped before 34 of its cases. The last operation was not swept. */
export const sample: SweepReport = parse(readFileSync(path.join(import.meta.dirname, 'sample.txt'), 'utf8'));
