/** The schemas of `downstream` and `callbacks`. */
import { z } from 'zod';
import { count, duration, partial } from './pieces.ts';

export const downstreamSchema: z.ZodType = partial({ processing: duration });
export const callbacksSchema: z.ZodType = partial({
  timeout: duration,
  retries: z.array(duration),
  concurrency: count.max(1000),
});
