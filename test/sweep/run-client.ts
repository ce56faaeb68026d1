/** Runs a reference client against a fresh sandbox in this process. */
import { execFile } from 'node:child_process';
import { type Scenario, startSandbox } from '../../src/index.ts';
import { environment } from '../harness/program.ts';

export interface ClientRun {
  readonly code: number;
  readonly out: string;
  readonly ms: number;
  /** The records at the end, each as text, without what differs between two runs: times and tokens. */
  readonly records: readonly string[];
}

/** Time limit of a client, in milliseconds: far more than any needs, also on a busy machine. */
const maxMs = 25_000;

/** Runs a command with a sandbox's address; the clients use the project `north`. */
export async function runClient(command: readonly string[], scenarios: readonly Scenario[] = []): Promise<ClientRun> {
  const sandbox = await startSandbox({ scenarios });
  try {
    const startedAt = performance.now();
    const ended = await execute(command, { SANDBOX_URL: sandbox.url, SANDBOX_API_KEY: sandbox.apiKey });
    const ms = Math.round(performance.now() - startedAt);
    return { ...ended, ms, records: toComparable(await sandbox.project('north').snapshot()) };
  } finally {
    await sandbox.close();
  }
}

function execute(
  [file = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { env: environment(variables), timeout: maxMs }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out: out + err });
    });
  });
}

const varying = ['createdAt', 'updatedAt', 'passwordChangedAt', 'trackingId', 'deliveryDate', 'trail'];

/** Returns the records in order of their text: the order in which they were stored may vary. */
function toComparable(snapshot: object): readonly string[] {
  const toText = (record: unknown): string =>
    JSON.stringify(record, (key, value: unknown) => (varying.includes(key) ? undefined : value));
  return Object.entries(snapshot).flatMap(([collection, records]) =>
    Array.isArray(records) ? records.map((record) => `${collection} ${toText(record)}`).toSorted() : [],
  );
}
