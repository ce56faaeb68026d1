/** Examples of the console follow the profile: the sandbox accepts them as they are. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { toCurlExample, toRequestPlace } from '../../src/console/data/request-place.ts';
import { recipes } from '../../src/console/screens/connect/recipes.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { writeProfile } from '../harness/profile.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const run = promisify(execFile);

const places: readonly (readonly [string, object])[] = [
  ['in the path', {}],
  ['in the path of another method', { basePath: '/v2', operations: { asyncImportJobs: { method: 'PUT' } } }],
  ['in the query', { basePath: '/v2', identifiers: { projectId: 'query' } }],
  ['in a header', { identifiers: { projectId: 'header:x-project' } }],
  ['in the body', { identifiers: { projectId: 'body' } }],
];

describe.each(places)('the project is %s', (_, changes) => {
  const sandbox = useSandbox({ profile: writeProfile(changes) }, { ...shippedProfile, ...changes });
  const loadPlace = async () => {
    const { body } = await sandbox.control('GET', '/catalog');
    return toRequestPlace(body.items.find(({ operation }: { operation: string }) => operation === 'asyncImportJobs'));
  };

  test('the command of an empty list is accepted', async () => {
    const project = `it's ${freshProject()}`;
    const command = toCurlExample(sandbox.url(), await loadPlace(), project, { jobs: [{ id: 'J-1' }] });
    expect((await run('sh', ['-c', command])).stdout).toContain('"jobsReceived":1');
    expect(await sandbox.items(encodeURIComponent(project), 'requests')).toMatchObject([{ status: 202 }]);
  });

  test.each([
    ['curl', 'sh', ['-c']],
    ['node', process.execPath, ['--input-type=module', '-e']],
    ['python', 'python3', ['-c']],
  ])('the recipe for %s is accepted', async (name, file, args) => {
    const project = freshProject();
    const basePath = 'basePath' in changes ? String(changes.basePath) : '';
    const loaded = await loadPlace();
    const text = recipes
      .find((recipe) => recipe.name === name)
      ?.text({
        ...{ url: sandbox.url() + basePath, control: `${sandbox.url()}/_sandbox`, key: 'sandbox-key', project },
        place: { ...loaded, target: loaded.target.slice(basePath.length) },
      });
    const { stdout } = await run(file, [...args, text ?? ''], { timeout: 20_000 });
    expect(stdout).toContain('202');
    expect(await sandbox.items(project, 'requests')).toMatchObject([{ operation: 'asyncImportJobs', status: 202 }]);
  });
});
