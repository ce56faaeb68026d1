/** Callbacks that a `listen` command passes to a receiver, which answers some with an error: none is lost or repeated. */
import { expect } from 'vitest';
import type { Receiver } from '../harness/receiver.ts';
import type { Dice } from '../model/dice.ts';
import { createCallbackLog, type Doubt } from '../rig/callback-log.ts';
import { createLateImporter } from '../rig/clients.ts';
import { compare } from '../rig/compare.ts';
import { createLedger } from '../rig/ledger.ts';
import { createSender } from '../rig/send.ts';

/** Project whose callbacks are listened to. */
export const project = 'listened';

export interface Listened {
  /** Imports jobs, some of which fail. */
  work(url: string, count: number): Promise<void>;
  /** Waits until every accepted job was reported, and no rejected callback is left. Returns how many came, and came again. */
  check(url: string, doubts?: readonly Doubt[]): Promise<{ readonly callbacks: number; readonly repeated: number }>;
}

export function createListened(receiver: Receiver, dice: Dice): Listened {
  const [ledger, callbacks] = [createLedger(), createCallbackLog()];
  receiver.handle(callbacks.answer);
  const importer = createLateImporter({ project, name: 'job', dice, ledger, callbacks, isShared: true });
  return {
    work: async (url, count) => {
      for (let done = 0; done < count; done += 1) await importer.step(createSender(url, ledger));
    },
    check: async (url, doubts = []) => {
      await compare({ clients: [], ledger, callbacks }, { sandbox: url }, 60_000);
      const countLeft = (): number => callbacks.check(createLedger(), doubts).unaccepted;
      await expect.poll(countLeft, { timeout: 60_000, interval: 100 }).toBe(0);
      const came = callbacks.check(ledger, doubts);
      expect(ledger.violations).toEqual([]);
      return came;
    },
  };
}
