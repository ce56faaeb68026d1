/** Starts a sandbox with a profile. */
import { operationFacts } from '../../src/config/config-files.ts';
import type { OptionTexts } from '../../src/config/options.ts';
import type { WallClock } from '../../src/lib/time.ts';
import { parseProfile } from '../../src/openapi/profile/profile-file.ts';
import { writeProfile } from '../harness/profile.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';

/** Starts a sandbox with this profile for the tests of a block, and judges its answers by it. */
export function withProfile(profile: string | object, options: OptionTexts = {}, wall?: WallClock): TestSandbox {
  const file = writeProfile(profile);
  const parsed = parseProfile(typeof profile === 'string' ? profile : JSON.stringify(profile), file, operationFacts());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return useSandbox({ profile: file, clock: '2026-03-02T09:30:00Z', ...options }, parsed.profile, wall);
}
