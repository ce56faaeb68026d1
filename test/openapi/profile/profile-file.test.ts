/** Profile files. flows/transcripts/profile-forms.txt has what becomes of them, cli/golden/check-profiles.txt their mistakes. */
import { expect, test } from 'vitest';
import { text as shippedText } from '../../../spec/profile.yaml';
import { operationFacts } from '../../../src/config/config-files.ts';
import { type Profile, shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { parseProfile } from '../../../src/openapi/profile/profile-file.ts';

const parse = (text: string) => parseProfile(text, 'profile.yaml', operationFacts());

function profileOf(text: string): Profile {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('\n'));
  return parsed.profile;
}

test('the shipped file and an empty one are the default', () => {
  expect(profileOf('{}')).toEqual(shippedProfile);
  expect(profileOf(shippedText)).toEqual(shippedProfile);
});

test('a profile is valid in its normal form', () => {
  const profile = profileOf(
    'duplicates: replace\nrequired: { jobs: [id, address] }\ntransitions: { jobs: { DELIVERED: [], READY: [DISPATCH] } }\nrate: { requests: 6, per: 1m }\nlimits: { journal: 5 }\n',
  );
  expect(profileOf(JSON.stringify(profile))).toEqual(profile);
});
