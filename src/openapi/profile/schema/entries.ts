/** The schemas of the keys about entries and their records: `required`, `duplicates`, `users`. */
import { z } from 'zod';
import { partial } from './pieces.ts';

const fields = z.array(z.string().min(1)).refine((names) => names.includes('id'), {
  error: 'expected a list that contains "id", under which the sandbox stores an entry',
});

export const requiredSchema: z.ZodType = partial({ jobs: fields, orders: fields, routes: fields });
export const duplicatesSchema: z.ZodType = z.enum(['reject', 'replace']);
export const usersSchema: z.ZodType = partial({ attendantAccess: z.enum(['required', 'default']) });
