/** Profile files: merged over the shipped one. cli/golden/check-profiles.txt has their mistakes. */
import { describe, expect, test } from 'vitest';
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

describe('a valid profile', () => {
  test('equals the default if it is empty', () => {
    expect(profileOf('{}')).toEqual(shippedProfile);
    expect(profileOf(shippedText)).toEqual(shippedProfile);
  });

  test('overrides the default group by group', () => {
    const profile = profileOf('errors: { foreignKey: 404 }\nlimits:\n  entries: 50\nduplicates: replace\n');
    expect(profile).toEqual({
      ...shippedProfile,
      errors: { ...shippedProfile.errors, foreignKey: 404 },
      limits: { ...shippedProfile.limits, entries: 50 },
      duplicates: { jobs: 'replace', orders: 'replace', routes: 'replace', users: 'replace', routeJobs: 'replace' },
    });
  });

  test('replaces a list as a whole', () => {
    expect(profileOf('callbacks: { retries: [1s] }').callbacks).toEqual({
      ...shippedProfile.callbacks,
      retries: ['1s'],
    });
    expect(profileOf('required: { jobs: [id, address] }').required).toEqual({
      jobs: { create: ['id', 'address'], update: ['id', 'address'], inRoute: ['id', 'address'] },
      orders: ['id'],
      routes: ['id'],
    });
  });

  test('has one list or word for all, or one each', () => {
    const { required, duplicates } = profileOf(
      'required: { jobs: { update: [id, status] } }\nduplicates: { routes: replace }\n',
    );
    expect(required).toEqual({
      ...shippedProfile.required,
      jobs: { create: ['id'], update: ['id', 'status'], inRoute: ['id'] },
    });
    expect(duplicates).toEqual({ ...shippedProfile.duplicates, routes: 'replace' });
  });

  test('is valid in its normal form', () => {
    const profile = profileOf(
      'duplicates: replace\nrequired: { jobs: [id, address] }\ntransitions: { jobs: { DELIVERED: [], READY: [DISPATCH] } }\nrate: { requests: 6, per: 1m }\nlimits: { journal: 5 }\n',
    );
    expect(profileOf(JSON.stringify(profile))).toEqual(profile);
  });

  test('can move operations, also into the query', () => {
    const operations = {
      asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT', status: 200 },
      asyncUpdateJob: { path: '/v2/{projectId}/jobs/{jobId}', mode: 'sync' },
    };
    expect(profileOf(JSON.stringify({ basePath: '/field', operations }))).toEqual({
      ...shippedProfile,
      basePath: '/field',
      operations,
    });
  });
});

test('templates, headers and signatures are merged with the default as they are written', () => {
  const bodies = {
    error: { error: { text: '{message}' } },
    registerUser: { id: '{username}' },
    callback: ['{data}'],
  };
  const signature = { hmac: 'sha256', header: 'x-sign', value: 't={timestamp},v1={hex}', over: '{id}.{body}' };
  const parsed = profileOf(JSON.stringify({ bodies, callbacks: { signature }, responseHeaders: { 'x-a': '1' } }));
  expect(parsed).toEqual({
    ...shippedProfile,
    bodies,
    callbacks: { ...shippedProfile.callbacks, signature },
    responseHeaders: { 'x-a': '1' },
  });
  expect(profileOf('bodies: { error: problem }').bodies).toEqual({ error: 'problem' });
});
