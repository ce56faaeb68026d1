/** Lists that are waited for: a reset ends the waiting. flows/transcripts/waits.txt has what they wait for. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { failLater } from '../callbacks/steps.ts';

const sandbox = useSandbox();

/** Asks for this, and resets until the question is answered: of several servers, one may get the reset first. */
async function whileResetting(path: string, reset: string) {
  let isAnswered = false;
  const asked = sandbox.control('GET', path).finally(() => {
    isAnswered = true;
  });
  await sandbox.control('GET', '/health');
  while (!isAnswered) await sandbox.control('POST', reset);
  return (await asked).body;
}

describe.each(['requests', 'callbacks'])('%s', (list) => {
  test('stop waiting at a reset, also of an unused project', async () => {
    const project = freshProject();
    await sandbox.freeze(project);
    for (const _ of ['used', 'unused'])
      expect(await whileResetting(`/projects/${project}/${list}?await=30s`, `/projects/${project}/reset`)).toEqual({
        items: [],
        satisfied: false,
      });
  });

  test('stop waiting at a reset of all projects', async () => {
    const path = `/projects/${freshProject()}/${list}?await=30s`;
    expect(await whileResetting(path, '/reset')).toEqual({ items: [], satisfied: false });
  });
});

describe('in the project of `--demo`', () => {
  const demo = useSandbox({ demo: 'true' });
  const list = '/projects/demo/callbacks?await=30s';
  const wait = async (query = '') => (await demo.control('GET', list + query)).body;

  test('a wait returns a callback of the demo; with `since`, it waits for a new one', async () => {
    const first = await wait();
    expect(first).toMatchObject({ satisfied: true, items: expect.arrayContaining([expect.anything()]) });
    const last = first.items.at(-1).id;
    await failLater(demo, 'demo', 'later');
    const [next] = (await wait(`&since=${last}`)).items;
    expect(next).toMatchObject({ body: { data: { failed: [{ id: expect.stringContaining('later') }] } } });
  });

  test.each(['await', 'since'])('the document explains `%s`', async (name) => {
    const { parameters } = (await demo.control('GET', '/control.json')).body.components;
    const described = Object.values(parameters as Record<string, { name: string; description: string }>);
    // `since` of the listener says which callbacks it gets first.
    const texts = described
      .filter((one) => one.name === name && !one.description.startsWith('First sends again'))
      .map(({ description }) => description);
    expect(texts).not.toEqual([]);
    for (const text of texts) expect(text).toMatch(name === 'await' ? /`--demo`.*`since`/s : /`await`/);
  });
});
