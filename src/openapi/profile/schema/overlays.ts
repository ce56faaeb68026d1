/** The schema of `overlays`. */
import { z } from 'zod';

export const overlaysSchema: z.ZodType = z
  .array(z.string().min(1, { error: 'expected the path of an overlay file, such as changes.overlay.yaml' }))
  .superRefine((names, context) => {
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        context.addIssue({ code: 'custom', message: `the overlay ${name} is listed twice`, path: [index] });
  });
