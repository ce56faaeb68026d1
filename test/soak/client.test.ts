/** How a soak sends: what it counts on having been carried out has reached the sandbox. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { type Client, createClient, createTally } from './client.ts';
import { createFindings } from './findings.ts';
import { createLife, type Life } from './life.ts';
import { nothing, type Step, toStep } from './step.ts';
import { stories } from './stories.ts';

const sandbox = useSandbox();
const findings = createFindings();
let client: Client;
beforeAll(() => {
  client = createClient(sandbox.url(), 1, findings, createTally());
});
afterAll(() => client.close());

async function beginLife(): Promise<Life> {
  const project = freshProject();
  const story = stories.find(({ name }) => name === 'codes') as Life['story'];
  await client.control('PUT', `/projects/${project}/scenarios`, { scenarios: [story.scenario] });
  const named = { project, key: project, secret: '', story, isFrozen: false, endsAt: Number.POSITIVE_INFINITY };
  return createLife(named, findings);
}

/** The next of those of which the scenario leaves each second one without an answer. */
function nextStep(life: Life, id: string): Step {
  const path = `/async/projects/${life.project}/jobs`;
  const foreseen = { status: 202, failed: [], taken: 1, told: [] };
  const wanted = { operation: 'asyncUpdateJobs', method: 'PATCH', path, body: { jobs: [{ id }] }, foreseen } as const;
  return toStep(life, { ...wanted, isSeen: true, took: nothing }, false);
}

test('who is left without an answer leaves after its request has arrived, however long it waits for a connection', async () => {
  const life = await beginLife();
  await client.send(life, nextStep(life, 'A'));
  const left = nextStep(life, 'B');
  expect(left.fault).toBe('hang');

  // It takes the one connection for longer than patience lasts.
  const waiting = client.control('GET', `/projects/${life.project}/requests?await=600ms&min=99`);
  await Promise.all([waiting, client.send(life, left)]);
  await client.send(life, nextStep(life, 'C'));

  expect(findings.first('answers')).toEqual([]);
  const requests = await sandbox.items(life.project, 'requests');
  expect(requests.map(({ status, fault }) => fault ?? status)).toEqual([202, 'hang', 202]);
});
