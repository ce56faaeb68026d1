/** A profile with other paths, methods and statuses. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OptionTexts } from '../../src/config/options.ts';
import { type Profile, shippedProfile } from '../../src/openapi/profile/profile.ts';

const changes = {
  basePath: '/fieldservice/v2',
  operations: {
    asyncImportJobs: { path: '/jobs?project={projectId}', method: 'PUT', status: 200 },
    asyncUpdateJobInSubproject: { path: '/job?project={projectId}&sub={subProjectId}&job={jobId}' },
    syncUpdateOrder: { path: '/orders/{orderId}/of/{projectId}', method: 'POST', status: 202 },
    submitLocation: { path: '/here/{projectId}' },
  },
  errors: { ...shippedProfile.errors, invalid: 422, duplicate: 400 },
} as const;

/** The profile as the sandbox reads it. */
export const moved: Profile = { ...shippedProfile, ...changes };

const file = join(mkdtempSync(join(tmpdir(), 'field-sandbox-properties-')), 'profile.yaml');
writeFileSync(file, JSON.stringify(changes));

export const movedOptions: OptionTexts = { magicIds: 'false', profile: file };
