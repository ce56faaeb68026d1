/** Writes small archives of traffic, and runs the command on them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { type CalibrateOptions, runCalibrate } from '../../../src/cli/calibrate/command.ts';
import type { Summary } from '../../../src/cli/calibrate/report/summary.ts';

/** Creates a folder for the files of a test file. It is deleted after the tests. */
export function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'calibrate-command-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly status: number;
  readonly result: object;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the text of an archive. */
export function toHarText(all: readonly Sent[]): string {
  const entries = all.map(({ method, path: url, body, status, result, key = '***', headers = {} }, index) => ({
    startedDateTime: new Date(Date.UTC(2026, 2, 2, 9, index)).toISOString(),
    request: {
      method,
      url: `https://api.example${url}`,
      headers: key === '' ? [] : [{ name: 'apikey', value: key }],
      postData: { mimeType: 'application/json', text: JSON.stringify(body) },
    },
    response: {
      status,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      content: { text: JSON.stringify(result) },
    },
  }));
  return JSON.stringify({ log: { entries } });
}

/** Writes an archive, and returns its path. */
export function writeHar(folder: string, all: readonly Sent[], name = 'traffic'): string {
  const file = path.join(folder, `${name}.har`);
  writeFileSync(file, toHarText(all));
  return file;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly summary: Summary | undefined;
}

/** Runs the command in this process. */
export async function runOn(folder: string, file: string, options: CalibrateOptions = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const json = path.join(folder, 'report.json');
  rmSync(json, { force: true });
  const code = await runCalibrate(
    [file],
    { ...options, json },
    (text) => out.push(text),
    (text) => err.push(text),
  );
  const summary = existsSync(json) ? (JSON.parse(readFileSync(json, 'utf8')) as Summary) : undefined;
  return { code, out: out.join(''), err: err.join(''), summary };
}

const orders = '/sync/projects/acme/orders';

export const imported = (id: string): Sent => ({
  method: 'POST',
  path: orders,
  body: { orders: [{ id }] },
  status: 200,
  result: { failed: [], orders: [{ orderNumber: id, trackingId: 'T' }], ordersReceived: 1 },
});

export const updated = (id: string): Sent => ({
  method: 'PATCH',
  path: `${orders}/${id}`,
  body: { status: 'READY' },
  status: 200,
  result: { message: 'done' },
});
