/** The recipes of docs/guides/ in other languages: these tests cover what the pages themselves do not show. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { has, useRecipes } from '../../harness/recipes.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });
const guarded = useSandbox({ adminToken: 'let-me-in' });
const page = useRecipes('docs/guides/containers.md');
const client = () => ({ SANDBOX_URL: sandbox.url(), SANDBOX_API_KEY: 'sandbox-key' });

/** Returns the ids of the projects that begin with a prefix. */
async function projectsOf(prefix: string): Promise<readonly string[]> {
  const { body } = await sandbox.control('GET', '/projects?limit=1000');
  return (body.items as { id: string }[]).map(({ id }) => id).filter((id) => id.startsWith(prefix));
}

const frozen = [
  {
    title: 'curl',
    recipe: page,
    sections: ['curl'],
    file: 'frozen.sh',
    prefix: 'ci-curl-',
    isThere: has('curl', '--version'),
  },
  {
    title: 'Python',
    recipe: useRecipes('docs/guides/python.md'),
    sections: ['Connect', 'Test a failed job'],
    file: 'test_failed_job.py',
    prefix: 'py-',
    isThere: has('python3', '--version'),
  },
  {
    title: 'Java',
    recipe: useRecipes('docs/guides/java.md'),
    sections: ['Connect', 'Test a failed job'],
    file: 'FailedJob.java',
    prefix: 'java-',
    isThere: has('javac', '-version'),
  },
];

for (const { title, isThere } of frozen)
  if (!isThere) console.warn(`this machine has no ${title}: its recipe in docs/guides/ was NOT tested`);

test.each(frozen.filter(({ isThere }) => isThere))(
  '$title: the test fails if no callback arrives',
  async ({ recipe, sections, file, prefix }) => {
    for (const section of sections) recipe.writeFiles(section);
    await recipe.run(`sed -i s/FAIL-GEOCODE/FINE/ ${file}`);
    const commands = recipe.blocks(sections.at(-1) ?? '', 'sh').join('\n');
    await expect(recipe.run(commands, client())).rejects.toMatchObject({ code: 1 });
    const [project = ''] = await projectsOf(prefix);
    expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['ORD-1', 'FINE-1']);
  },
);

test('adds a scenario to the library and activates it for one project', async () => {
  await page.follow('Scenarios', client());
  const jobs = [{ id: 'A' }, { id: 'B' }, { id: 'C' }];
  const [scripted = ''] = (await projectsOf('ci-')).filter((id) => !id.startsWith('ci-curl-'));
  for (const project of [scripted, 'other']) await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  for (const project of [scripted, 'other']) await sandbox.advance(project);
  expect((await sandbox.items(scripted, 'jobs')).map(({ id }) => id)).toEqual(['A', 'B']);
  expect((await sandbox.items('other', 'jobs')).map(({ id }) => id)).toEqual(['A', 'B', 'C']);
});

test('sends the admin token to the control API', async () => {
  const [, command = ''] = page.blocks('The image', 'sh');
  const asked = (token: string) =>
    page.run(command, { SANDBOX_URL: guarded.url(), SANDBOX_ADMIN_TOKEN: token }).then(JSON.parse);
  expect(await asked('let-me-in')).toMatchObject({ items: expect.any(Array) });
  await expect(asked('wrong')).rejects.toMatchObject({ stderr: expect.stringContaining('401') });
});

test("downloads the document, which contains the sandbox's URL", async () => {
  await page.follow('Postman and Insomnia', client());
  const document = JSON.parse(readFileSync(`${page.folder}/openapi.json`, 'utf8'));
  expect(document.servers[0].url).toBe(sandbox.url());
});
