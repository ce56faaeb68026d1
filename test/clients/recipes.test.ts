/** Clients generated from the served document by the recipes of docs/guides/generated-clients.md, used against the sandbox that served it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { has, useRecipes } from '../harness/recipes.ts';
import { useSandbox } from '../harness/sandbox.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

const page = 'docs/guides/generated-clients.md';
const profile = path.join(folder, 'profile.yaml');
writeFileSync(profile, useRecipes(page, undefined, { folder }).file('profile.yaml'));

const asShipped = useSandbox({ clock: 'frozen' });
const moved = useSandbox({ clock: 'frozen', profile });

const modules = 'import urllib3, dateutil, certifi, six';
const tools = {
  'npm registry': has('npm', 'view', 'openapi-fetch', 'version'),
  curl: has('curl', '--version'),
  'Java compiler': has('javac', '-version'),
  [`Python that can ${modules}`]: has('python3', '-c', modules),
} as const;

/** What ends soon is not worth compiling well; and nothing but what is asked for. */
const variables = {
  JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
  npm_config_audit: 'false',
  npm_config_prefer_offline: 'true',
};

/** Title of the recipe, the project that its program works in, how many of the tools it needs. */
const recipes = [
  ['TypeScript', 'typescript', 1],
  ['Java', 'java', 3],
  ['Python', 'python', 4],
] as const;

/** What of the first so many tools is not here. */
function missingOf(count: number): string {
  const needed = Object.entries(tools).slice(0, count);
  return needed.flatMap(([name, isThere]) => (isThere ? [] : [`no ${name}`])).join(', ');
}

const sandboxes = [
  ['as it ships', asShipped, '/async/projects/PROJECT/jobs'],
  ['whose paths a profile moved', moved, '/field/v2/PROJECT/job-imports'],
] as const;

describe.each(recipes)('a client in %s', (title, project, count) => {
  const missing = missingOf(count);
  if (missing !== '') console.warn(`here is ${missing}: the ${title} client of ${page} was NOT tested`);
  const home = path.join(folder, title);
  mkdirSync(home);
  writeFileSync(path.join(home, 'package.json'), '{ "private": true, "type": "module" }\n');

  test.skipIf(missing !== '').each(sandboxes)(
    'works against a sandbox %s',
    async (_which, sandbox, importPath) => {
      const toHere = (text: string) => text.replaceAll('http://127.0.0.1:4600', sandbox.url());
      const { follow, blocks } = useRecipes(page, toHere, { folder: home, maxMs: 100_000 });
      const [output = ''] = blocks(title, 'text');
      const printed = await follow(title, variables);
      expect(printed.slice(-output.length)).toBe(output);

      expect(await sandbox.advance(project)).toMatchObject({ processed: 1, pending: 0 });
      const journal = await sandbox.items(project, 'requests');
      expect(journal.map(({ operation, status }) => [operation, status])).toEqual([
        ['asyncImportJobs', 202],
        ['registerUser', 400],
        ['registerUser', 201],
      ]);
      expect(journal[0]).toMatchObject({ path: importPath.replace('PROJECT', project), warnings: [] });
      expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'JOB-1' }]);
      expect(await sandbox.items(project, 'users')).toMatchObject([{ username: 'm.keller', locationIds: ['BNE-014'] }]);
    },
    120_000,
  );
});
