/** The project state as a JSON value: a project restored from it continues like the original. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromValue } from '../../../../src/project/persistence/format/state-value.ts';
import { answer, gathering, step } from '../../../harness/project-steps.ts';
import { toValue } from '../../../harness/state-value.ts';
import { createStandaloneProject, type StandaloneProject } from '../../../harness/test-project.ts';

const throughJson = ({ world: project }: StandaloneProject) => toValue(project.state);

test('a project restored at any moment continues like the original', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.array(step, { maxLength: 10 }), async (before, after) => {
      const first = createStandaloneProject({}, answer);
      for (const each of before) await each(first);
      const value = throughJson(first);
      const { due, ...plain } = fromValue(value);
      expect({ ...plain, due: [...due] }).toEqual({ ...first.world.state, due: [...first.world.state.due] });

      const second = createStandaloneProject({}, answer, fromValue(value));
      expect(second.world.pending()).toEqual(first.world.pending());
      const alreadySent = first.sent.length;
      for (const each of [...after, (lone: StandaloneProject) => lone.advance(7_200_000)]) {
        expect(await each(second)).toEqual(await each(first));
      }
      expect(second.sent).toEqual(first.sent.slice(alreadySent));
      expect(throughJson(second)).toEqual(throughJson(first));
    }),
  );
});

test('a project restored with a real clock runs its due work', () => {
  const first = createStandaloneProject({ clock: { mode: 'real' } });
  first.ask('asyncImportJobs', { jobs: [{ id: 'A' }] });
  const second = createStandaloneProject({}, undefined, fromValue(throughJson(first)));
  second.wall.pass(199);
  expect(second.world.state.records.jobs.size).toBe(0);
  second.wall.pass(1);
  expect([...second.world.state.records.jobs.keys()]).toEqual(['A']);
});

test('a restored project continues its ids', () => {
  const first = createStandaloneProject();
  const known = [first.world.nextRequestId(), first.world.nextRequestId()];
  const second = createStandaloneProject({}, undefined, fromValue(throughJson(first)));
  expect(known).not.toContain(second.world.nextRequestId());
  expect(first.world.nextRequestId()).not.toBe(second.world.nextRequestId());
});

test('a restored project shares no objects with the original', async () => {
  const first = createStandaloneProject();
  first.ask('syncImportOrders', { orders: [{ id: 'O-1' }] });
  const second = createStandaloneProject({}, undefined, fromValue(throughJson(first)));
  second.ask('syncUpdateOrder', { id: 'O-1', status: 'READY' });
  second.ask('syncImportOrders', { orders: [{ id: 'O-2' }] });
  expect(first.world.state.records.orders.size).toBe(1);
});

test('open callback groups and remaining copies are restored', async () => {
  const first = createStandaloneProject({}, () => ({ status: 204 }));
  const unknown = (name: string) => ({ jobs: [{ id: name }] });
  for (const name of ['A', 'B', 'C']) first.ask('asyncUpdateJobs', unknown(name), { callbackRules: gathering });
  await first.advance(200);
  expect(first.world.state.groups.size).toBe(1);
  expect(first.world.pending()).toEqual({ instructions: 0, callbacks: 6 });

  const second = createStandaloneProject({}, () => ({ status: 204 }), fromValue(throughJson(first)));
  expect(second.world.pending()).toEqual({ instructions: 0, callbacks: 6 });
  expect(await second.advance(2999)).toMatchObject({ delivered: 0 });
  second.ask('asyncUpdateJobs', unknown('D'), { callbackRules: gathering });
  expect(await second.advance(1)).toMatchObject({ delivered: 6 });
  await first.advance(3000);
  expect(second.sent).toEqual(first.sent);
  expect(first.sent).toHaveLength(6);
});
