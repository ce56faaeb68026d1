/** All checks in the order in which they run. Checks that may break the receiver are last. */

import type { CheckGroup } from '../check.ts';
import { rejectsForgeries } from './forgeries.ts';
import { handlesBadNetwork } from './network.ts';
import { acceptsLast, acceptsRepeats } from './repeats.ts';
import { responds } from './responses.ts';
import { acceptsUnknown } from './unknown.ts';
import { acceptsValid } from './valid.ts';

export const groups: readonly CheckGroup[] = [
  responds,
  acceptsValid,
  acceptsUnknown,
  acceptsRepeats,
  rejectsForgeries,
  handlesBadNetwork,
  acceptsLast,
];
