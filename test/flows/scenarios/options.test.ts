/** Scenarios that the server is started with: by name, from files, from a folder that changes, from the environment. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { startWith } from '../data-steps.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-scenarios-'));
afterAll(() => rmSync(folder, { recursive: true }));

const refusing = (name: string, reason: string): string =>
  `name: ${name}\nrules:\n  - when: { item: { id: X } }\n    then: { refuse: ${reason} }\n`;

function write(file: string, text: string): string {
  const full = path.join(folder, file);
  writeFileSync(full, text);
  return full;
}

const jobs = [{ id: 'X' }, { id: 'REFUSE-1' }, { id: 'A' }];

describe('--scenario, by name and by file, and SANDBOX_SCENARIO_YAML', () => {
  const file = write('of-mine.yaml', refusing('of-mine', 'from the file'));
  const scenarioYaml = 'name: inline\nrules: [{ when: { item: { id: A } }, then: { refuse: from the environment } }]';
  const sandbox = useSandbox({ scenarios: ['flaky', file], scenarioYaml });

  test('are active in all projects, with magic ids at lower priority', async () => {
    for (const project of [freshProject(), freshProject()]) {
      const { status, body } = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
      expect(status).toBe(202);
      expect(body.failed.map(({ reason }: { reason: string }) => reason)).toEqual([
        'from the file',
        expect.stringContaining('REFUSE-'),
        'from the environment',
      ]);
    }
  });

  test('are listed as active and in the library', async () => {
    const { body } = await sandbox.control('GET', `/projects/${freshProject()}/scenarios`);
    expect(body).toMatchObject({ scenarios: [], serverScenarios: ['inline', 'flaky', 'of-mine'], magicIds: true });
    expect((await sandbox.control('GET', '/scenarios/of-mine')).body).toMatchObject({ source: 'option' });
  });
});

test('a changed file is read again; an invalid one keeps its old version', async () => {
  const changing = mkdtempSync(path.join(folder, 'changing-'));
  const file = path.join(changing, 'mine.yaml');
  writeFileSync(file, refusing('mine', 'first'));
  const { remarks, control, close } = await startWith({ scenarioDir: changing });
  const text = async (name: string): Promise<string> => (await control('GET', `/scenarios/${name}`)).body.text;
  try {
    expect(await text('mine')).toContain('first');
    writeFileSync(file, refusing('mine', 'second'));
    await expect.poll(() => text('mine')).toContain('second');

    writeFileSync(file, 'name: mine\nrules:\n  - then: { refuze: third }\n');
    await expect.poll(() => remarks.join('\n')).toContain('did you mean refuse?');
    expect(remarks[0]).toMatch(/^\S*mine\.yaml:3:13 /);
    expect(await text('mine')).toContain('second');

    writeFileSync(path.join(changing, 'outage.yml'), refusing('outage', 'in front of the shipped one'));
    writeFileSync(file, refusing('mine', 'fourth'));
    await expect.poll(() => text('mine')).toContain('fourth');
    await expect.poll(() => text('outage')).toContain('in front of the shipped one');

    rmSync(path.join(changing, 'outage.yml'));
    await expect.poll(() => text('outage')).toContain('503');

    writeFileSync(path.join(changing, 'other.yaml'), refusing('mine', 'fifth'));
    await expect.poll(() => remarks.join('\n')).toContain('several files define the scenario');
    expect(await text('mine')).toContain('fourth');

    rmSync(changing, { recursive: true });
    await expect.poll(() => remarks.at(-1)).toContain('folder not found');
    mkdirSync(changing);
    writeFileSync(file, refusing('mine', 'sixth'));
    await expect.poll(() => text('mine'), { timeout: 5000 }).toContain('sixth');
  } finally {
    await close();
  }
});

test('an active scenario does not change with its file until it is activated again', async () => {
  const changing = mkdtempSync(path.join(folder, 'changing-'));
  const file = path.join(changing, 'mine.yaml');
  writeFileSync(file, refusing('mine', 'first'));
  const { api, control, close } = await startWith({ scenarioDir: changing, scenarios: ['mine'] });
  const reason = async (headers: Record<string, string> = {}): Promise<string | undefined> =>
    (await api('POST', '/async/projects/p/jobs', { jobs: [{ id: 'X' }] }, headers)).body.failed[0]?.reason;
  const byHeader = { 'x-sandbox-scenario': 'mine' };
  try {
    expect(await reason(byHeader)).toBe('first');
    writeFileSync(file, refusing('mine', 'second'));
    await expect.poll(() => reason(byHeader)).toBe('second');
    expect(await reason()).toBe('first');
    await control('PUT', '/server-scenarios', { scenarios: ['mine'] });
    expect(await reason()).toBe('second');
  } finally {
    await close();
  }
});

test('two files with the same scenario name are an error, even for the name of a shipped one', async () => {
  const one = write('one.yaml', refusing('flaky', 'one'));
  const two = write('two.yaml', refusing('flaky', 'two'));
  const mistake = `--scenario: ${two} has the same name as another scenario of this option, "flaky"`;
  await expect(startWith({ scenarios: [one, two] })).rejects.toMatchObject({ mistakes: [mistake] });
});

test('reports all errors at once and does not start', async () => {
  const bad = mkdtempSync(path.join(folder, 'bad-'));
  writeFileSync(path.join(bad, 'a.yaml'), refusing('twice', 'a'));
  writeFileSync(path.join(bad, 'b.yaml'), refusing('twice', 'b'));
  writeFileSync(path.join(bad, 'c.yaml'), 'name: c\nrules: 5\n');
  const missing = path.join(folder, 'missing.yaml');
  const started = startWith({ scenarioDir: bad, scenarios: ['outtage', missing], scenarioYaml: 'name: A' });
  await expect(started).rejects.toMatchObject({
    mistakes: [
      expect.stringMatching(/c\.yaml:2:8 /),
      expect.stringContaining('several files define the scenario "twice"'),
      expect.stringMatching(/^SANDBOX_SCENARIO_YAML:1:1 /),
      expect.stringMatching(/^SANDBOX_SCENARIO_YAML:1:7 /),
      expect.stringContaining('there is no scenario "outtage", did you mean outage?'),
      `${missing}: file not found`,
    ],
  });
});
