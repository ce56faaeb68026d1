/** The content of the file with the keys that were created at run time. */
import { z } from 'zod';
import { regions } from '../config/keys.ts';
import { isTimestamp } from '../lib/time.ts';
import { sizePattern } from '../openapi/profile/profile.ts';
import { limitNames } from '../usage/limits.ts';
import type { StoredKey } from './key-store.ts';

const timestamp = z.string().refine(isTimestamp, { error: 'expected a timestamp' });
const count = z.int().min(1);
const counts = [...limitNames.filter((name) => name !== 'bytes'), 'projects'].map((name) => [name, count] as const);

const storedKey = z.object({
  id: z.string().min(1),
  digest: z.base64().length(44),
  projects: z.array(z.string().min(1)).min(1),
  region: z.enum(regions).optional(),
  label: z.string().optional(),
  expiresAt: timestamp.optional(),
  limits: z
    .strictObject({ ...Object.fromEntries(counts), bytes: z.string().regex(sizePattern) })
    .partial()
    .optional(),
  createdAt: timestamp,
  lastUsedAt: timestamp.optional(),
});

/** Parses the text of the file, or returns its first mistake. */
export function parseKeyFile(
  text: string,
  version: number,
): { readonly keys: readonly StoredKey[] } | { readonly mistake: string } {
  const file = z.object({ version: z.literal(version), keys: z.array(storedKey) });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { mistake: 'it is not JSON' };
  }
  const parsed = file.safeParse(value);
  if (parsed.success) return { keys: parsed.data.keys as readonly StoredKey[] };
  const [issue] = parsed.error.issues;
  return { mistake: `/${issue?.path.join('/')}: ${issue?.message}` };
}
