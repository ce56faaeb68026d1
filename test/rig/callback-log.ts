/** Receives callbacks, and compares them with the jobs that failed and with the faults during which they were sent. */
import type { Ledger } from './ledger.ts';
import type { Received } from './receiver.ts';

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

/** How many callbacks came, came again after they were accepted, and were only rejected so far. */
interface Came {
  readonly callbacks: number;
  readonly repeated: number;
  readonly unaccepted: number;
}

export interface CallbackLog {
  /** Returns the response to a callback: one of eight has to be sent again. */
  answer(this: void, received: Received): 204 | 503;
  /** Whether a callback has reported a job. */
  isTold(job: string): boolean;
  /** Compares all callbacks with the jobs. */
  check(ledger: Ledger, doubts: readonly Doubt[]): Came;
}

/** How long an attempt and the commit of its result may take while others load the machine. */
const slackMs = 3000;

export function createCallbackLog(): CallbackLog {
  const arrivals = new Map<string, Arrival[]>();
  const idsOf = new Map<string, Set<string>>();
  function answer({ headers, body }: Received): 204 | 503 {
    const id = String(headers['webhook-id']);
    const before = arrivals.get(id) ?? [];
    const isAccepted = before.length > 0 || !/[37]$/.test(id);
    arrivals.set(id, [...before, { atMs: performance.now(), body, isAccepted }]);
    const { failed } = JSON.parse(body).data as { readonly failed: readonly { readonly id: string }[] };
    for (const job of failed) idsOf.set(job.id, (idsOf.get(job.id) ?? new Set()).add(id));
    return isAccepted ? 204 : 503;
  }

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
    answer,
    isTold: (job) => idsOf.has(job),
    check: (ledger, doubts) => {
      checkJobs(ledger);
      const ids = [...arrivals.keys()];
      return {
        callbacks: ids.length,
        repeated: ids.filter((id) => isRepeated(id, ledger, doubts)).length,
        unaccepted: [...arrivals.values()].filter((all) => !all.some(({ isAccepted }) => isAccepted)).length,
      };
    },
  };
}
