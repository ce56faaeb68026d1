/** Lists all settlers, in the order in which their proposals are applied. */
import { settleErrorBodies, settleResultBodies } from './bodies.ts';
import { settleDuplicates } from './duplicates.ts';
import { settleErrorStatuses } from './error-statuses.ts';
import { settleLooserSchemas } from './looser-schema.ts';
import { settleModes } from './modes.ts';
import { settleNulls } from './nulls.ts';
import { settleOtherSubproject } from './other-subproject.ts';
import { settlePaths } from './paths.ts';
import { settleRequired } from './required.ts';
import { settleResponseHeaders } from './response-headers.ts';
import type { Settler } from './settler.ts';
import { settleSuccessStatuses } from './success-statuses.ts';
import { settleTransitions } from './transitions.ts';
import { settleUnknownFields } from './unknown-fields.ts';
import { settleUsers } from './users.ts';

export const settlers: readonly Settler[] = [
  settlePaths,
  settleSuccessStatuses,
  settleErrorStatuses,
  settleErrorBodies,
  settleResultBodies,
  settleResponseHeaders,
  settleUnknownFields,
  settleRequired,
  settleDuplicates,
  settleNulls,
  settleLooserSchemas,
  settleUsers,
  settleOtherSubproject,
  settleTransitions,
  settleModes,
];
