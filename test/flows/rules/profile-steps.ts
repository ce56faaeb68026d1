/** Starts a sandbox with a profile. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { operationFacts } from '../../../src/config/config-files.ts';
import { parseProfile } from '../../../src/openapi/profile/profile-file.ts';
import { useSandbox } from '../../harness/sandbox.ts';

/** Starts a sandbox with this profile for the tests of a block, and judges its answers by it. */
export function withProfile(text: string): ReturnType<typeof useSandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'field-sandbox-profile-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'profile.yaml');
  writeFileSync(file, text);
  const parsed = parseProfile(text, file, operationFacts());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return useSandbox({ profile: file, clock: '2026-03-02T09:30:00Z' }, parsed.profile);
}
