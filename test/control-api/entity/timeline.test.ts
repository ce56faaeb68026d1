/** The events of an id are built in slices, because a project may have very many. */
import { expect, test } from 'vitest';
import { buildTimeline } from '../../../src/control-api/entity/timeline.ts';
import type { ControlParts } from '../../../src/control-api/handler.ts';
import type { Project } from '../../../src/project/project.ts';

test('reads the clock for each change of a record', async () => {
  let reads = 0;
  const elapsed = () => {
    reads += 1;
    return 0;
  };
  const setting = { kind: 'snapshot', snapshot: { jobs: [{ id: 'J-1' }] } };
  const settings = Array.from({ length: 10 }, (_, change) => ({ setting, atMs: 0, change }));
  const parts = { wall: { elapsed }, journal: { list: () => [], settings: () => settings } };
  const records = { jobs: new Map(), orders: new Map(), routes: new Map(), users: new Map(), devices: new Map() };
  const project = { id: 'p', state: { records, callbacks: new Map(), due: [] } };
  const { events } = await buildTimeline(parts as unknown as ControlParts, project as unknown as Project, 'J-1');
  expect(events).toHaveLength(1);
  // Each snapshot has one change per collection.
  expect(reads).toBe(1 + 10 + 50);
});
