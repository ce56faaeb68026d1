/** Finds forged or malformed callbacks that the receiver accepted. */
import type { Life } from '../../trial/lives.ts';

const forgedKinds = /^callback-(signature|body)-/;

/** Returns a sentence about the first one, or undefined. */
export function findForgery(
  { kinds, operation }: { readonly kinds: readonly string[]; readonly operation: string | undefined },
  lives: readonly Pick<Life, 'project' | 'callbacks'>[],
): string | undefined {
  if (!kinds.some((kind) => forgedKinds.test(kind))) return undefined;
  for (const { project, callbacks } of lives) {
    for (const { id, attempts, fault, operation: from } of callbacks) {
      if ((operation ?? from) !== from || !(fault?.signature || fault?.body)) continue;
      // A redelivery is sent without the fault.
      const accepted = attempts.find(
        ({ cause, status = 0 }) => cause !== 'redelivery' && status >= 200 && status < 300,
      );
      if (accepted) return `the receiver answered ${accepted.status} to callback ${id} of project ${project}`;
    }
  }
  return undefined;
}
