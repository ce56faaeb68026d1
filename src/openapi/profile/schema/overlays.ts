/** The schema of `overlays`. */
import { z } from 'zod';

export const overlaysSchema: z.ZodType = z.array(
  z.string().min(1, { error: 'expected the path of an overlay file, such as changes.overlay.yaml' }),
);
