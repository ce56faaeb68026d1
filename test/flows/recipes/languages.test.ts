/** The recipes of docs/guides/containers.md in other languages, run as they stand there; what can't be run here is said. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recipes } from '../../../src/console/screens/connect/recipes.ts';
import { has, useRecipes } from '../../harness/recipes.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });
const guarded = useSandbox({ adminToken: 'let-me-in' });
const page = useRecipes('docs/guides/containers.md');
const languages = { yaml: 'yaml', yml: 'yaml', mjs: 'js', java: 'java', py: 'python' } as Readonly<
  Record<string, string>
>;
const usual = {
  url: 'http://127.0.0.1:4600',
  control: 'http://127.0.0.1:4600/_sandbox',
  key: 'sandbox-key',
  project: 'demo',
};

const client = () => ({ SANDBOX_URL: sandbox.url(), SANDBOX_API_KEY: 'sandbox-key' });

// `npx vitest run test/flows/recipes/languages.test.ts -u` writes them anew.
test('recipes of the console equal those of the page', async () => {
  const names: string[] = [];
  const wanted = readFileSync('docs/guides/containers.md', 'utf8').replace(
    /(<!-- recipe: ([\w-]+), .*-->\n)[\s\S]*?(<!-- \/recipe -->)/g,
    (_all, open: string, name: string, close: string) => {
      const recipe = recipes.find((one) => one.name === name);
      if (recipe === undefined) throw new Error(`the console has no recipe ${name}`);
      names.push(name);
      const language = languages[recipe.file.split('.').at(-1) ?? ''];
      return `${open}\n\`\`\`${language}\n${recipe.text(usual)}\`\`\`\n\n${close}`;
    },
  );
  // The console alone has those that follow: they are for a sandbox that runs already.
  const connecting = ['curl', 'node', 'python-requests', 'python', 'java'];
  expect([...connecting, ...names]).toEqual(recipes.map(({ name }) => name));
  await expect(wanted).toMatchFileSnapshot('../../../docs/guides/containers.md');
});

const frozen = [
  ['curl', 'ci-curl', has('curl', '--version')],
  ['Python', 'ci-python', has('python3', '--version')],
  ['Java', 'ci-java', has('java', '-version')],
] as const;

for (const [title, , isThere] of frozen)
  if (!isThere) console.warn(`this machine has no ${title}: its recipe in docs/guides/containers.md was NOT tested`);

test.each(frozen.filter(([, , isThere]) => isThere))('%s: a test without sleeps', async (title, project) => {
  await page.follow(title, client());
  expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['ORD-1']);
  expect(await sandbox.items(project, 'callbacks')).toMatchObject([{ state: 'inbox', attempts: [{}] }]);
  const asked = (await sandbox.items(project, 'requests')).map(({ operation }) => operation);
  expect(asked).toEqual(['asyncImportJobs']);
});

test.each(frozen.filter(([, , isThere]) => isThere))('%s: fails if no callback arrives', async (title, project) => {
  page.writeFiles(title);
  await page.run(`sed -i s/FAIL-GEOCODE/FINE/ ${/`(\S+\.\w+)`/.exec(page.section(title))?.[1]}`);
  await sandbox.control('POST', `/projects/${project}/reset`);
  await expect(page.run(page.blocks(title, 'sh').join('\n'), client())).rejects.toMatchObject({ code: 1 });
  expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['ORD-1', 'FINE-1']);
});

test('adds a scenario to the library and activates it for one project', async () => {
  await page.follow('Scenarios', client());
  const jobs = [{ id: 'A' }, { id: 'B' }, { id: 'C' }];
  for (const project of ['ci-1', 'ci-2']) await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  for (const project of ['ci-1', 'ci-2']) await sandbox.advance(project);
  expect((await sandbox.items('ci-1', 'jobs')).map(({ id }) => id)).toEqual(['A', 'B']);
  expect((await sandbox.items('ci-2', 'jobs')).map(({ id }) => id)).toEqual(['A', 'B', 'C']);
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
