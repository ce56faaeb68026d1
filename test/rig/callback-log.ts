/** Receives callbacks, and compares them with the jobs that failed and with the faults during which they were sent. */
import type { Receiver } from '../harness/receiver.ts';
import type { Ledger } from './ledger.ts';

/** A time in which a fault made it impossible to say whether a callback was delivered. */
export interface Doubt {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Arrival {
  readonly atMs: number;
  readonly body: string;
  readonly isAccepted: boolean;
}

export interface CallbackLog {
  /** Whether a callback has reported a job. */
  isTold(job: string): boolean;
  /** Compares all callbacks with the jobs. Returns how many came, and how many again. */
  check(ledger: Ledger, doubts: readonly Doubt[]): { readonly callbacks: number; readonly repeated: number };
}

/** How long an attempt and the commit of its result may take while others load the machine. */
const slackMs = 3000;

/** Starts to log. One of eight callbacks has to be sent again. */
export function logCallbacks(receiver: Receiver): CallbackLog {
  const arrivals = new Map<string, Arrival[]>();
  const idsOf = new Map<string, Set<string>>();
  receiver.handle(({ headers, body }) => {
    const id = String(headers['webhook-id']);
    const before = arrivals.get(id) ?? [];
    const isAccepted = before.length > 0 || !/[37]$/.test(id);
    arrivals.set(id, [...before, { atMs: performance.now(), body, isAccepted }]);
    const { failed } = JSON.parse(body).data as { readonly failed: readonly { readonly id: string }[] };
    for (const job of failed) idsOf.set(job.id, (idsOf.get(job.id) ?? new Set()).add(id));
    return isAccepted ? 204 : 503;
  });

  function checkJobs(ledger: Ledger): void {
    for (const [job, ids] of idsOf)
      if (ids.size > 1) ledger.violate(`${job} was reported by several callbacks: ${[...ids]}`);
    for (const creation of ledger.creations)
      if (creation.fate === 'absent' && idsOf.has(creation.id))
        ledger.violate(`callback for a rejected job: ${JSON.stringify(creation)}`);
  }

  function isRepeated(id: string, ledger: Ledger, doubts: readonly Doubt[]): boolean {
    const all = arrivals.get(id) ?? [];
    if (new Set(all.map(({ body }) => body)).size > 1) ledger.violate(`callback ${id} came with different bodies`);
    const accepted = all.filter(({ isAccepted }) => isAccepted);
    if (accepted.length < 2) return false;
    const isDoubtful = doubts.some(({ fromMs, toMs }) =>
      accepted.some(({ atMs }) => atMs > fromMs - slackMs && atMs < toMs + slackMs),
    );
    if (!isDoubtful)
      ledger.violate(`callback ${id} came ${accepted.length} times: ${accepted.map(({ atMs }) => atMs)}`);
    return true;
  }

  return {
    isTold: (job) => idsOf.has(job),
    check: (ledger, doubts) => {
      checkJobs(ledger);
      const ids = [...arrivals.keys()];
      return { callbacks: ids.length, repeated: ids.filter((id) => isRepeated(id, ledger, doubts)).length };
    },
  };
}
