/** A partner developer freezes and advances the clock, and saves, restores and resets the state. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { bodyRows, focused, textsOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
const receiver = useReceiver();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const importJobs = (...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
const importOrders = (...ids: readonly string[]) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: ids.map((id) => ({ id })) });
const standAt = (now: string) => sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen', now });
const clock = async () => (await sandbox.control('GET', `/projects/${project}/clock`)).body as object;
const orders = async () => (await sandbox.items(project, 'orders')).map(({ id }) => id);
const open = (name = project) => browser.open(sandbox.url(), `/clock?project=${name}`);
const section = (page: Page, name: string) => page.getByRole('region', { name });
const due = (page: Page) => textsOf(bodyRows(section(page, 'Table of pending work')));
/** Restores a snapshot from a file. */
async function restore(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Restore snapshot…' }).click();
  await (await choosing).setFiles(file);
}

describe.skipIf(noBrowser)('the clock', () => {
  test('is set, frozen and resumed', async () => {
    await importOrders('O-1');
    const page = await open();
    const controls = section(page, `Clock of ${project}`);
    await controls.getByText('running', { exact: true }).waitFor();
    await expect.poll(() => controls.getByRole('button', { name: '+10 min' }).isDisabled()).toBe(true);
    await controls.getByLabel('Set to').fill('2040-01-01T00:00:00');
    await controls.getByRole('button', { name: 'Set' }).click();
    await controls.getByText('Running at 2040-01-01 00:00:0').waitFor();
    await controls.getByRole('button', { name: 'Freeze' }).click();
    await controls.getByText('Frozen at 2040-01-01 00:0').waitFor();
    await controls.getByText('frozen', { exact: true }).waitFor();
    const { mode, now } = (await clock()) as { mode: string; now: string };
    expect(mode).toBe('frozen');
    expect(now).toMatch(/^2040-01-01T00:0/);
    await expect.poll(() => controls.getByRole('time').getAttribute('datetime')).toBe(now);
    await controls.getByRole('button', { name: 'Resume' }).click();
    await controls.getByText('running', { exact: true }).waitFor();
    expect(await clock()).toMatchObject({ mode: 'real' });
  });

  test('runs at a rate, which setting its time keeps', async () => {
    await importOrders('O-1');
    const page = await open();
    const controls = section(page, `Clock of ${project}`);
    const rate = controls.getByLabel('Rate');
    await expect.poll(() => rate.inputValue()).toBe('1');
    await rate.fill('20');
    await controls.getByRole('button', { name: 'Change rate' }).click();
    await controls.getByText(', 20 times as fast as real time.').waitFor();
    await controls.getByText('running 20×', { exact: true }).waitFor();
    await controls.getByLabel('Set to').fill('2040-01-01T00:00:00');
    await controls.getByRole('button', { name: 'Set', exact: true }).click();
    await controls.getByText('Running at 2040-01-01 00:00').waitFor();
    expect(await clock()).toMatchObject({ mode: 'real', rate: 20 });
    // The page moves the time as fast as the sandbox does.
    const shown = async () => Date.parse((await controls.getByRole('time').getAttribute('datetime')) ?? '');
    const before = await shown();
    await expect.poll(async () => (await shown()) - before).toBeGreaterThan(15_000);
    const difference = async () => Math.abs(Date.parse(((await clock()) as { now: string }).now) - (await shown()));
    await expect.poll(difference).toBeLessThan(60_000);
    await controls.getByRole('button', { name: 'Freeze' }).click();
    await controls.getByText('frozen', { exact: true }).waitFor();
    await expect.poll(() => rate.inputValue()).toBe('20');
    await rate.fill('0.5');
    await controls.getByRole('button', { name: 'Run at this rate' }).click();
    await controls.getByText('running 0.5×', { exact: true }).waitFor();
    expect(await clock()).toMatchObject({ mode: 'real', rate: 0.5 });
  });

  test('is advanced in steps, and each time shows the result and the pending work', async () => {
    receiver.answer(500, 500, 500);
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    await standAt('2040-01-01T00:00:00Z');
    const page = await open();
    const controls = section(page, `Clock of ${project}`);
    await page.getByText('Nothing is scheduled.').waitFor();
    const request = await importJobs('J-1', 'FAIL-GEOCODE-2');
    const id = request.headers['x-request-id'];
    await expect
      .poll(() => due(page))
      .toEqual([`00:00:00.200in less than 1 sProcess 2 entries of asyncImportJobs ${id}Advance to here`]);

    const happens = async (button: string, text: string): Promise<void> => {
      await controls.getByRole('button', { name: button, exact: true }).click();
      await controls.getByText(text).waitFor();
    };
    const by = controls.getByLabel('Advance by');
    await by.fill('1s');
    await happens('Advance', 'Advanced to 2040-01-01 00:00:01: 1 command processed, 0 callbacks delivered, 1 pending.');
    const [callback] = await sandbox.items(project, 'callbacks');
    await expect.poll(() => due(page)).toEqual([`00:00:05.200in 4 sRetry callback ${callback?.['id']}Advance to here`]);
    expect(receiver.received).toHaveLength(1);
    await happens('+1 min', 'Advanced to 2040-01-01 00:01:01: 0 commands processed, 0 callbacks delivered, 1 pending.');
    expect(receiver.received).toHaveLength(3);

    await by.fill('90 s');
    await page.keyboard.press('Enter');
    await controls.getByText('Advanced to 2040-01-01 00:02:31: 0 commands').waitFor();
    await controls.getByLabel('Advance to (UTC)').fill('2040-01-01T00:02:34');
    await happens('Advance to time', 'Advanced to 2040-01-01 00:02:34: 0 commands');

    await page.getByRole('button', { name: 'Advance to here' }).first().waitFor();
    await happens('Until idle', '1 callback delivered, 0 pending.');
    await page.getByText('Nothing is scheduled.').waitFor();
    expect(receiver.received).toHaveLength(4);
    await expect.poll(() => controls.getByRole('time').first().textContent()).toBe('2040-01-01 00:02:35.200');
    await happens('+1 h', 'Advanced to 2040-01-01 01:02:35.200: 0 commands');
    expect(await clock()).toMatchObject({ mode: 'frozen', now: '2040-01-01T01:02:35.200Z' });
  });

  test('understands a duration as people write it, and repeats a wrong one as it is', async () => {
    await standAt('2040-01-01T00:00:00Z');
    const page = await open();
    const controls = section(page, `Clock of ${project}`);
    const by = controls.getByLabel('Advance by');
    await by.fill('10 Minutes');
    await page.keyboard.press('Enter');
    await controls.getByText('Advanced to 2040-01-01 00:10:00:').waitFor();
    await by.fill('10 fort nights');
    await page.keyboard.press('Enter');
    await controls.getByText('"10 fort nights" is not a duration: enter a number with a unit').waitFor();
    expect(await clock()).toMatchObject({ now: '2040-01-01T00:10:00.000Z' });
  });

  test('shows at once what ten minutes did, with links to the request and the callback', async () => {
    receiver.answer(500);
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    await standAt('2040-01-01T00:00:00Z');
    const request = await importJobs('J-1', 'FAIL-GEOCODE-2');
    const page = await open();
    await page.getByRole('button', { name: '+10 min' }).click();
    const log = section(page, 'Advances');
    await log.getByText('+10 min').waitFor();
    const [callback] = await sandbox.items(project, 'callbacks');
    await expect
      .poll(() => textsOf(bodyRows(log.getByRole('region', { name: 'Work of advance 1' }))))
      .toEqual([
        `00:00:00.200Processed 2 entries of asyncImportJobs ${request.headers['x-request-id']}1 failed 1 succeeded`,
        `00:00:00.200Sent callback ${callback?.['id']}500`,
        `00:00:05.200Sent callback ${callback?.['id']}204`,
      ]);
    await log.getByText('1 failed attempt').waitFor();
    await importJobs('J-3');
    await page.getByRole('button', { name: 'Advance to here' }).click();
    await page.getByText('Advanced to 2040-01-01 00:10:00.200: 1 command processed').waitFor();
    await page.getByRole('button', { name: '+1 min' }).click();
    await log.getByText('Nothing was due.').waitFor();
    await log.getByText('+10 min').click();
    await log.getByRole('link', { name: 'asyncImportJobs' }).click();
    await expect.poll(() => page.url()).toContain(`request=${request.headers['x-request-id']}`);
    await page.goBack();
    await log.getByText('+10 min').click();
    await log
      .getByRole('link', { name: String(callback?.['id']) })
      .first()
      .click();
    await expect.poll(() => page.url()).toContain(`/callbacks?`);
  });
});

describe.skipIf(noBrowser)('the state', () => {
  test('is restored into a project without requests', async () => {
    await importOrders('O-1');
    const { body: snapshot } = await sandbox.control('GET', `/projects/${project}/snapshot`);
    const page = await open(`${project}-copy`);
    const state = section(page, `State of ${project}-copy`);
    const file = { name: 'kept.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(snapshot)) };
    await restore(page, { ...file, buffer: Buffer.from('{"foo":1}') });
    await state.getByText('kept.json is not a snapshot: missing jobs').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await restore(page, file);
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await state.getByText('Restored: 1 order.').waitFor();
  });

  test('is forked, and the page shows the fork', async () => {
    await standAt('2040-01-01T00:00:00Z');
    await importJobs('J-1');
    const page = await open();
    for (const fork of [`${project}-fork`, `${project}-fork-2`]) {
      await page.getByRole('button', { name: /^Fork p-/ }).click();
      await section(page, `State of ${fork}`).waitFor();
      await page.getByText(`This is ${fork}, a copy of ${project}`).waitFor();
      await expect.poll(async () => (await due(page))[0]).toContain('Process 1 entry of asyncImportJobs');
    }
    const { body } = await sandbox.control('GET', `/projects/${project}-fork-2`);
    expect(body.forkedFrom).toEqual({ project: `${project}-fork`, change: 2 });
  });

  test('is downloaded, and restored after confirmation', async () => {
    await standAt('2040-01-01T00:00:00Z');
    await importOrders('O-1', 'O-2');
    const page = await open();
    const state = section(page, `State of ${project}`);
    const downloading = page.waitForEvent('download');
    await state.getByRole('button', { name: 'Download snapshot' }).click();
    const file = await downloading;
    await state.getByText('Downloaded (2 orders).').waitFor();
    expect(file.suggestedFilename()).toBe(`${project}.snapshot.json`);
    const snapshot = await readFile(await file.path());
    expect(JSON.parse(snapshot.toString()).orders).toHaveLength(2);

    await importOrders('O-3');
    await importJobs('J-4');
    const kept = { name: 'kept.json', mimeType: 'application/json', buffer: snapshot };
    await restore(page, { ...kept, buffer: Buffer.from('[]') });
    await state.getByText('kept.json is not a snapshot: expected an object, got an array.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await restore(page, kept);
    const dialog = page.getByRole('dialog', { name: `Restore kept.json in ${project}?` });
    await dialog.getByText('with 2 orders and cancels pending work').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await orders()).toEqual(['O-1', 'O-2', 'O-3']);

    await restore(page, kept);
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await state.getByText('Restored: 2 orders.').waitFor();
    await state.getByText('Cancelled: 1 instruction, 0 callbacks.').waitFor();
    expect(await orders()).toEqual(['O-1', 'O-2']);
    await page.getByText('Nothing is scheduled.').waitFor();
  });

  test('is reset by keyboard, reports the cancelled work, and restores the focus', async () => {
    receiver.answer(500);
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    await standAt('2040-01-01T00:00:00Z');
    await importJobs('FAIL-GEOCODE-1');
    await sandbox.advance(project, '1s');
    await importJobs('J-2');
    await importJobs('J-3');
    const page = await open();
    const state = section(page, `State of ${project}`);
    const reset = state.getByRole('button', { name: `Reset ${project}…` });
    const dialog = page.getByRole('dialog', { name: `Reset ${project}?` });
    await reset.focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe('Cancel');
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => focused(page)).toBe(`Reset ${project}…`);
    expect(await sandbox.items(project, 'requests')).toHaveLength(3);

    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe('Cancel');
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe(`Reset ${project}`);
    await page.keyboard.press('Enter');
    await state.getByText(`${project} was reset.`).waitFor();
    await state.getByText('Cancelled: 2 instructions, 1 callback.').waitFor();
    expect(await sandbox.items(project, 'requests')).toEqual([]);
    await expect.poll(() => focused(page)).toBe(`Reset ${project}…`);
  });
});
