/** The schema of `limits`. */
import type { z } from 'zod';
import { count, partial, size } from './pieces.ts';

export const limitsSchema: z.ZodType = partial({
  entries: count,
  body: size,
  depth: count.max(1000),
  values: count,
  names: count,
  journal: count,
  project: partial({
    records: count,
    bytes: size,
    pending: count,
    scenarios: count,
    waiting: count,
    followers: count,
    requestsPerSecond: count,
  }),
  key: partial({ projects: count }),
});
