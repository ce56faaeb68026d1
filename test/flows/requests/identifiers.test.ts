/** A project in a long body, and in the served document. flows/transcripts/identifiers.txt has other identifiers. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox(
  { profile: writeProfile({ identifiers: { projectId: 'body' } }) },
  { ...shippedProfile, identifiers: { ...shippedProfile.identifiers, projectId: 'body' } },
);

// Longer bodies are validated, and still longer ones parsed, in slices.
test.each([600, 2500])('a body of %i kB with a project is applied', async (size) => {
  const projectId = freshProject();
  const jobs = Array.from({ length: size }, (_, n) => ({ id: `J-${n}`, customerInstructions: ['x'.repeat(1000)] }));
  const answer = await sandbox.api('POST', '/sync/projects/jobs/batch', { jobs, projectId });
  expect(answer).toMatchObject({ status: 200, body: { jobsReceived: size } });
  expect(await sandbox.items(projectId, 'jobs')).toHaveLength(Math.min(size, 1000));
});

test('the served document has no unused components', async () => {
  const { body, text } = await sandbox.control('GET', '/openapi.json');
  for (const [kind, group] of Object.entries<object>(body.components)) {
    if (kind === 'securitySchemes') continue;
    for (const name of Object.keys(group)) expect(text).toContain(`"#/components/${kind}/${name}"`);
  }
});
