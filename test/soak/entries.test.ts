/** What a soak foresees of lists is what the sandbox makes of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../src/operations/index.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { createDice } from '../model/draws.ts';
import { type Client, createClient, createTally } from './client.ts';
import { endInPeace } from './ending.ts';
import { type Drawn, foreseeList } from './entries.ts';
import { createFindings } from './findings.ts';
import { createLife, type Life } from './life.ts';
import { headers, nothing, type Step } from './step.ts';
import { stories } from './stories.ts';

const sandbox = useSandbox();
const findings = createFindings();
let client: Client;
beforeAll(() => {
  client = createClient(sandbox.url(), 1, findings, createTally());
});
afterAll(() => client.close());

/** A life with a frozen clock, whose third entries fail later than others; its callbacks go into the inbox. */
async function beginLife(): Promise<Life> {
  const project = freshProject();
  const story = { ...(stories.find(({ name }) => name === 'entries') as Life['story']), hasEndpoint: false };
  const named = { project, key: project, secret: '', story, isFrozen: true, endsAt: Number.POSITIVE_INFINITY };
  await sandbox.freeze(project);
  await client.control('PUT', `/projects/${project}/scenarios`, { scenarios: [story.scenario] });
  return createLife(named, findings);
}

function toImport(life: Life, operation: OperationId, path: string, entries: readonly Drawn[]): Step {
  const body = JSON.stringify({ jobs: entries.map(({ id }) => ({ id })) });
  const foreseen = foreseeList(life, operation, entries);
  return { kind: operation, method: 'POST', path, headers, body, foreseen, took: nothing };
}

test('an id that stands twice in an import, once where entries fail later, is told of by two callbacks', async () => {
  const life = await beginLife();
  const { project } = life;
  const there: Drawn = { id: 'N-1', fate: 'impossible' };
  const first: Drawn = { id: 'N-1', fate: 'good' };
  await client.send(life, toImport(life, 'syncCreateJobs', `/sync/projects/${project}/jobs/batch`, [first]));
  const entries: readonly Drawn[] = [there, { id: 'N-2', fate: 'good' }, there];
  await client.send(life, toImport(life, 'asyncImportJobs', `/async/projects/${project}/jobs`, entries));

  await endInPeace({ client, findings, dice: createDice(1) }, life);

  const { arrivals } = life.ledger.account();
  expect([arrivals.length, new Set(arrivals).size]).toEqual([2, 2]);
  expect([...findings.first('surplus'), ...findings.first('lost')]).toEqual([]);
  expect(findings.total()).toBe(0);
});
