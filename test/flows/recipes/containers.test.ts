/**
 * The recipes of docs/guides/containers.md that start a container. No container is started here: the program is, as the image
 * starts it, with exactly the environment that the recipe gives it, and the recipe's commands are run against that.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { readOwnCompose, useRecipes } from '../../harness/recipes.ts';

type Variables = Readonly<Record<string, string>>;

const program = useProgram();
const receiver = useReceiver();
const page = useRecipes('docs/guides/containers.md');
const yamlOf = (title: string) => parse(page.blocks(title, 'yaml')[0] ?? '');
const [scenarioYaml = '', scenarioText = ''] = page.blocks('Scenarios', 'yaml');
const failure = 'Address could not be geocoded';

beforeAll(() => {
  page.writeFiles('curl');
  writeFileSync(path.join(page.folder, 'third-job-fails.yaml'), scenarioText);
});

/** Starts what the image starts; where it is. */
const startImage = (variables: Variables): Promise<string> => program.startSandbox([], variables);

/** The image's health check; docker.test.ts holds that it is this command. */
async function isHealthy(url: string): Promise<boolean> {
  const { code } = await program.run(['health'], { SANDBOX_HOST: '127.0.0.1', SANDBOX_PORT: new URL(url).port });
  return code === 0;
}

/** Whether the third job of an import fails, on a clock that stands. */
async function expectThirdToFail(url: string): Promise<void> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const post = (to: string, body: object) =>
    fetch(url + to, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) => answer.json());
  await post('/async/projects/third/jobs', { jobs: [{ id: 'A' }, { id: 'B' }, { id: 'C' }] });
  await post('/_sandbox/projects/third/clock/advance', { until: 'idle' });
  const told = await (await fetch(`${url}/_sandbox/projects/third/callbacks`)).json();
  expect((told as { items: unknown }).items).toMatchObject([
    { body: { data: { failed: [{ id: 'C', reason: failure }] } } },
  ]);
}

/** What a pipeline gives to the sandbox and to the tests, and its commands. */
interface Pipeline {
  readonly sandbox: Variables;
  readonly tests: Variables;
  readonly address: string;
  readonly commands: readonly string[];
}

const pipelines: readonly (readonly [string, () => Pipeline])[] = [
  [
    'GitHub Actions',
    () => {
      const { services, env, steps } = yamlOf('GitHub Actions').jobs.test;
      const commands = steps.flatMap(({ run }: { run?: string }) => run ?? []);
      return { sandbox: services.sandbox.env, tests: env, address: 'http://127.0.0.1:4600', commands };
    },
  ],
  [
    'GitLab',
    () => {
      const { services, variables, script } = yamlOf('GitLab').test;
      const address = `http://${services[0].alias}:4600`;
      return { sandbox: services[0].variables, tests: variables, address, commands: script };
    },
  ],
  [
    'docker run',
    () => {
      const [build = ''] = page.blocks('The image', 'sh');
      const sandbox = Object.fromEntries(
        [...build.matchAll(/ -e (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
      );
      const lines = page.section('Tests without sleeps').matchAll(/^(SANDBOX_\w+)=(.*)$/gm);
      const tests = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
      return { sandbox, tests, address: 'http://127.0.0.1:4600', commands: ['npm ci && npm test'] };
    },
  ],
];

test.each(pipelines)('%s: its commands reach the sandbox, on a frozen clock', async (_name, read) => {
  const { sandbox, tests, address, commands } = read();
  expect(sandbox).toMatchObject({ SANDBOX_CLOCK: 'frozen' });
  expect(tests['SANDBOX_URL']).toBe(address);
  expect(commands.at(-1)).toBe('npm ci && npm test');
  const url = await startImage(sandbox);
  expect(await isHealthy(url)).toBe(true);
  const here = [...commands.slice(0, -1), 'bash frozen.sh'].join('\n');
  expect(await page.run(here, { ...tests, SANDBOX_URL: url })).toContain(failure);
});

test.each(pipelines)('%s: with the scenario of the environment', async (_name, read) => {
  const scenario: Variables = parse(scenarioYaml);
  // One line: no tool on the way has to carry more.
  expect(scenario['SANDBOX_SCENARIO_YAML']).not.toContain('\n');
  await expectThirdToFail(await startImage({ ...read().sandbox, ...scenario }));
});

test('an invalid scenario in the environment ends the container with exit code 2 and the reason', async () => {
  const text = (parse(scenarioYaml) as Variables)['SANDBOX_SCENARIO_YAML']?.replace('fail:', 'fial:') ?? '';
  const { code, err } = await program.run(['--port', '0'], { SANDBOX_SCENARIO_YAML: text });
  expect(code).toBe(2);
  expect(err).toContain('did you mean fail?');
});

test('docker compose: the client starts when the sandbox is healthy, and receives callbacks', async () => {
  const { sandbox, client } = yamlOf('docker compose').services;
  expect(client.depends_on).toEqual({ sandbox: { condition: 'service_healthy' } });
  expect(client.environment.SANDBOX_URL).toBe('http://sandbox:4600');
  const callbacks: string = sandbox.environment.SANDBOX_CALLBACK_URL;
  expect(callbacks).toMatch(/^http:\/\/client:8080\//);
  const address = callbacks.replace('http://client:8080', receiver.url());
  const url = await startImage({ ...sandbox.environment, SANDBOX_CALLBACK_URL: address });
  expect(await isHealthy(url)).toBe(true);
  const [ask = ''] = page.blocks('curl', 'bash').join('').split('# Responds');
  await page.run(ask.replace(/^.*clock.*$/m, ''), { ...client.environment, SANDBOX_URL: url });
  await receiver.waitFor(1);
  expect(receiver.received[0]).toMatchObject({ path: '/callbacks', body: expect.stringContaining(failure) });
});

/** A service's environment, where what is mounted is the folder of these recipes. */
function mounted(service: { readonly volumes: readonly string[]; readonly environment: Variables }): Variables {
  const [, inside = ''] = service.volumes[0]?.split(':') ?? [];
  const toHere = ([name, value]: [string, string]) => [name, value === inside ? page.folder : value];
  const here = Object.fromEntries(Object.entries(service.environment).map(toHere));
  expect(here['SANDBOX_SCENARIO_DIR']).toBe(page.folder);
  return here;
}

test("the project's own compose.yaml with its commented lines enabled", async () => {
  const variables = mounted(parse(readOwnCompose()).services.sandbox);
  const chosen = { SANDBOX_SCENARIO: 'third-job-fails', SANDBOX_CLOCK: 'frozen' };
  await expectThirdToFail(await startImage({ ...variables, ...chosen }));
});

test('the health check fails if no server listens', async () => {
  expect(await isHealthy('http://127.0.0.1:1')).toBe(false);
});

test('Testcontainers for Node, with a stand-in for the package', async () => {
  page.writeFiles('Testcontainers: Node');
  // What it starts is the program, with the environment that the recipe gives.
  const into = path.join(page.folder, 'node_modules/testcontainers/index.mjs');
  mkdirSync(path.dirname(into), { recursive: true });
  cpSync(path.resolve('test/harness/testcontainers.mjs'), into);
  writeFileSync(path.join(path.dirname(into), 'package.json'), '{ "exports": "./index.mjs" }');
  const image = JSON.stringify([process.execPath, path.join(program.folder, 'dist/main.js')]);
  expect(await page.run('node --test sandbox.test.mjs', { STAND_IN: image })).toMatch(/pass 1\n/);
});
