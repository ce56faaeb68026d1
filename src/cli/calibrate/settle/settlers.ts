/** Lists all settlers, in the order in which their proposals are applied. */
import { settleAttendants } from './attendants.ts';
import { settleDuplicates } from './duplicates.ts';
import { settleErrorStatuses } from './error-statuses.ts';
import { settleModes } from './modes.ts';
import { settlePaths } from './paths.ts';
import { settleRequired } from './required.ts';
import type { Settler } from './settler.ts';
import { settleSuccessStatuses } from './success-statuses.ts';

export const settlers: readonly Settler[] = [
  settlePaths,
  settleSuccessStatuses,
  settleErrorStatuses,
  settleRequired,
  settleDuplicates,
  settleAttendants,
  settleModes,
];
