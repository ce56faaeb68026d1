/** Checks which replicas are ready, as a load balancer does, and which were fenced. */
import type { Replica } from '../../cluster/harness/replicas.ts';

export interface Health {
  /** URLs of the replicas that requests may be sent to. */
  urls(): readonly URL[];
  /** When replicas reported that they were fenced. */
  readonly fencedAt: readonly number[];
  stop(): void;
}

const intervalMs = 250;
const timeoutMs = 1000;
/** One check that passes puts a replica in, and two that fail leave it out. */
const maxFailures = 2;

export function watchHealth(members: readonly { readonly replica: Replica }[]): Health {
  const failures = new Map<Replica, number>(members.map(({ replica }) => [replica, 0]));

  const fencedAt: number[] = [];
  const reports = new Map<Replica, number>();

  function noteFencing(replica: Replica): void {
    const count = replica.err().split('joins again').length - 1;
    if (count > (reports.get(replica) ?? 0)) fencedAt.push(performance.now());
    reports.set(replica, count);
  }

  async function check(replica: Replica): Promise<void> {
    const isReady = await fetch(`${replica.url}/_sandbox/ready`, { signal: AbortSignal.timeout(timeoutMs) }).then(
      async (answer) => {
        await answer.text();
        return answer.ok;
      },
      () => false,
    );
    failures.set(replica, isReady ? 0 : (failures.get(replica) ?? 0) + 1);
  }

  const timer = setInterval(() => {
    for (const { replica } of members) {
      noteFencing(replica);
      void check(replica);
    }
  }, intervalMs);
  return {
    urls: () =>
      members.flatMap(({ replica }) =>
        replica.isRunning && (failures.get(replica) ?? 0) < maxFailures ? [new URL(replica.url)] : [],
      ),
    fencedAt,
    stop: () => clearInterval(timer),
  };
}
