/** What a replica makes of scenarios that another one has changed. */
import { expect, test } from 'vitest';
import { SharedValue } from '../../src/cluster/shared-value.ts';
import { type Activation, useSharedScenarios } from '../../src/cluster/wide/shared-scenarios.ts';
import type { ControlParts } from '../../src/control-api/handler.ts';
import { Journal } from '../../src/journal/journal.ts';
import { ProjectRegistry } from '../../src/project/registry.ts';
import { compileScenario } from '../../src/scenarios/compile.ts';
import { Library } from '../../src/scenarios/library.ts';
import type { Scenario } from '../../src/scenarios/types.ts';
import { createTestWall } from '../harness/wall.ts';
import { toSetting } from '../project/persistence/stored-project.ts';
import { createFakeDatabase, runAtOnce } from './world/fake-database.ts';
import { createTables } from './world/tables.ts';

const toScenario = (name: string): Scenario => ({ name, rules: [{ then: { respond: { status: 503 } } }] });

/** Creates a replica with the scenario `configured`, and what another one changes the values with. */
async function create() {
  const wall = createTestWall();
  const database = createFakeDatabase(createTables(wall.now), runAtOnce);
  const shared = () => {
    const deps = { database, tell: async () => undefined };
    return {
      library: new SharedValue<Readonly<Record<string, string>>>('library', {}, deps),
      activation: new SharedValue<Activation>('server-scenarios', { scenarios: null }, deps),
    };
  };
  const projects = new ProjectRegistry({
    ...{ options: toSetting(wall), journal: new Journal(), magicIds: undefined },
    serverScenarios: [await compileScenario(toScenario('configured'))],
    reportError: expect.unreachable,
  });
  const library = new Library([]);
  const control = { wall, projects, library, admission: { memory: { bytes: 0 } } } as unknown as ControlParts;
  const here = shared();
  await useSharedScenarios(control, here);
  /** What happens at each beat. */
  const refresh = async (): Promise<void> => {
    for (const one of [here.library, here.activation]) {
      await one.refresh();
      await one.applied();
    }
  };
  const activeNames = () => projects.serverScenarios.map(({ name }) => name);
  return { elsewhere: shared(), refresh, library, activeNames };
}

test('a reset that it has missed activates the scenarios of the options', async () => {
  const { elsewhere, refresh, activeNames } = await create();
  await elsewhere.activation.update(() => ({ scenarios: [toScenario('other')] }));
  await refresh();
  expect(activeNames()).toEqual(['other']);
  await elsewhere.activation.update(() => ({ scenarios: null }));
  await refresh();
  expect(activeNames()).toEqual(['configured']);
});

test('a scenario that was deleted is deleted, whatever its name', async () => {
  const { elsewhere, refresh, library } = await create();
  await elsewhere.library.update(() => ({ constructor: JSON.stringify(toScenario('constructor')) }));
  await refresh();
  expect(library.find('constructor')).toBeDefined();
  await elsewhere.library.update(() => ({}));
  await refresh();
  expect(library.find('constructor')).toBeUndefined();
});
