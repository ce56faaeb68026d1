/** A partner developer freezes and advances the clock, and saves, restores, forks and resets the state. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBarriers } from '../harness/browser.ts';
import { useReceiver } from '../harness/receiver.ts';
import { bodyRows, focused, hasFocus, heading, idOf, inBrowser, textsOf, useConsole, visibleTextsOf } from './page.ts';

const { sandbox, browser, project, importJobs, importOrders, setEndpoint, freeze, items, control, ...console } =
  useConsole();
const receiver = useReceiver();

const clock = async () => (await control('GET', '/clock')).body as { mode: string; now: string };
const orders = async () => (await items('orders')).map(({ id }) => id);
const open = () => console.open('clock');
const section = (page: Page, name: string) => page.getByRole('region', { name });
const controlsOf = (page: Page) => section(page, `Clock of ${project()}`);
const due = (page: Page) => textsOf(bodyRows(section(page, 'Table of pending work')));
/** Restores a snapshot from a file. */
async function restore(page: Page, content: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Restore snapshot…' }).click();
  await (await choosing).setFiles({ name: 'kept.json', mimeType: 'application/json', buffer: Buffer.from(content) });
}

inBrowser('the clock is set, frozen, resumed, and runs at a rate, which setting its time keeps', async () => {
  await importOrders('O-1');
  const page = await open();
  const controls = controlsOf(page);
  const press = (name: string) => controls.getByRole('button', { name, exact: true }).click();
  await controls.getByText('running', { exact: true }).waitFor();
  await expect.poll(() => controls.getByRole('button', { name: '+10 min' }).isDisabled()).toBe(true);
  const rate = controls.getByLabel('Rate', { exact: true });
  await expect.poll(() => rate.inputValue()).toBe('1');
  await rate.fill('20');
  await press('Change rate');
  await controls.getByText('running 20×', { exact: true }).waitFor();
  await controls.getByLabel('Set to').fill('2040-01-01T00:00:00');
  await press('Set');
  await controls.getByText('Running at 2040-01-01 00:00').waitFor();
  expect(await clock()).toMatchObject({ mode: 'real', rate: 20 });
  // The page moves the time as fast as the sandbox does.
  const shown = async () => Date.parse((await controls.getByRole('time').getAttribute('datetime')) ?? '');
  const before = await shown();
  await expect.poll(async () => (await shown()) - before).toBeGreaterThan(15_000);
  expect(Math.abs(Date.parse((await clock()).now) - (await shown()))).toBeLessThan(60_000);
  await press('Freeze');
  await controls.getByText('Frozen at 2040-01-01 00:0').waitFor();
  await controls.getByText('frozen', { exact: true }).waitFor();
  const { mode, now } = await clock();
  expect(mode).toBe('frozen');
  await expect.poll(() => controls.getByRole('time').getAttribute('datetime')).toBe(now);
  await expect.poll(() => rate.inputValue()).toBe('20');
  await rate.fill('0.5');
  await press('Run at this rate');
  await controls.getByText('running 0.5×', { exact: true }).waitFor();
});

inBrowser('the clock is advanced in steps, and shows what each did and the pending work', async () => {
  receiver.answer(500, 500, 500);
  await setEndpoint({ url: receiver.url() });
  await freeze('2040-01-01T00:00:00Z');
  const page = await open();
  const controls = controlsOf(page);
  await page.getByText('Nothing is scheduled.').waitFor();
  const id = idOf(await importJobs('J-1', 'FAIL-GEOCODE-2'));
  await expect
    .poll(() => due(page))
    .toEqual([`00:00:00.200in less than 1 sProcess 2 entries of asyncImportJobs ${id}Advance to here`]);
  const happens = async (button: string, text: string): Promise<void> => {
    await controls.getByRole('button', { name: button, exact: true }).click();
    await controls.getByText(text).waitFor();
  };
  const by = controls.getByLabel('Advance by');
  await by.fill('1s');
  await happens('Advance', 'Advanced to 2040-01-01 00:00:01: 1 command, 0 delivered, 1 failed attempt, 1 pending.');
  const callback = String((await items('callbacks'))[0]?.['id']);
  await expect.poll(() => due(page)).toEqual([`00:00:05.200in 4 sRetry callback ${callback}Advance to here`]);
  await happens('+1 min', 'Advanced to 2040-01-01 00:01:01: 0 commands, 0 delivered, 2 failed attempts, 1 pending.');
  expect(receiver.received).toHaveLength(3);
  const work = section(page, 'Advances').getByRole('region', { name: 'Work of advance 2' });
  const sent = (time: string) => `${time}Sent callback ${callback}500`;
  await expect.poll(() => textsOf(bodyRows(work))).toEqual([sent('00:00:05.200'), sent('00:00:35.200')]);
  await section(page, 'Advances').getByText('2 failed attempts', { exact: true }).waitFor();
  await by.fill('10 fort nights');
  await page.keyboard.press('Enter');
  await controls.getByText('"10 fort nights" is not a duration: enter a number with a unit').waitFor();
  const field = controls.getByLabel('Advance to (UTC)');
  await field.fill('2040-01-01T00:02:34');
  await by.fill('90 Seconds');
  await page.keyboard.press('Enter');
  await controls.getByText('Advanced to 2040-01-01 00:02:31: 0 commands').waitFor();
  await field.press('Enter');
  await controls.getByText('Advanced to 2040-01-01 00:02:34: 0 commands').waitFor();
  await expect.poll(() => field.inputValue()).toBe('2040-01-01T00:03');
  expect(await hasFocus(field)).toBe(true);
  await page.getByRole('button', { name: 'Advance to here' }).click();
  await controls.getByText('1 delivered, 0 pending.').waitFor();
  await page.getByText('Nothing is scheduled.').waitFor();
  await happens('Until idle', 'Advanced to 2040-01-01 00:02:35.200: 0 commands');
  await section(page, 'Advances').getByText('Nothing was due.').first().waitFor();
  await section(page, 'Advances').getByText('+1 s', { exact: true }).last().click();
  await section(page, 'Advances').getByRole('link', { name: 'asyncImportJobs' }).click();
  await expect.poll(() => page.url()).toContain(`request=${id}`);
});

inBrowser('the menu of the bar shows the time and what is due, and moves the clock', async () => {
  await freeze('2040-01-01T00:00:00Z');
  const page = await console.open('connect');
  const pill = page.getByRole('banner').getByRole('button', { name: /^Clock of/ });
  const label = () => pill.getAttribute('aria-label');
  await expect.poll(label).toBe(`Clock of ${project()}: Frozen, 00:00:00 nothing due`);
  await importJobs('J-1');
  await importJobs('J-2');
  await expect.poll(label).toBe(`Clock of ${project()}: Frozen, 00:00:00 2 due`);
  await pill.click();
  const menu = page.getByRole('dialog', { name: /^Clock of/ });
  await expect.poll(() => focused(page)).toBe('Resume');
  expect(await findBarriers(page)).toEqual([]);
  await menu.getByRole('button', { name: '+1 min' }).click();
  await menu.getByText('Advanced to 2040-01-01 00:01:00: 2 commands, 0 delivered, 0 pending').waitFor();
  await expect.poll(label).toContain('00:01:00');
  await page.keyboard.press('Escape');
  await expect.poll(() => menu.isVisible()).toBe(false);
  await expect.poll(() => focused(page)).toContain('Clock of');
  await pill.click();
  await menu.getByRole('link', { name: 'Open Project' }).click();
  await heading(page, 'Project').waitFor();
  await sandbox.freeze(`${project()}-b`);
  await page.goto(`${sandbox.url()}/_sandbox/#/live`);
  await expect.poll(() => pill.count()).toBe(0);
});

inBrowser('the state is downloaded, and restored after confirmation, also into a new project', async () => {
  await freeze();
  await importOrders('O-1', 'O-2');
  const page = await open();
  const state = section(page, `State of ${project()}`);
  const downloading = page.waitForEvent('download');
  await state.getByRole('button', { name: 'Download snapshot' }).click();
  const file = await downloading;
  await state.getByText('Downloaded (2 orders).').waitFor();
  expect(file.suggestedFilename()).toBe(`${project()}.snapshot.json`);
  const snapshot = (await readFile(await file.path())).toString();
  const usage = section(page, 'Usage and limits').last();
  await expect
    .poll(() => visibleTextsOf(bodyRows(usage).first()))
    .toEqual([expect.stringMatching(/^Records 2 (none|[\d,]+)$/)]);
  await importOrders('O-3');
  await importJobs('J-4');
  await restore(page, '[]');
  await state.getByText('kept.json is not a snapshot').waitFor();
  const dialog = page.getByRole('dialog', { name: `Restore kept.json in ${project()}?` });
  expect(await dialog.count()).toBe(0);
  await restore(page, snapshot);
  await dialog.getByText('with 2 orders and cancels pending work').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count()).toBe(0);
  expect(await orders()).toEqual(['O-1', 'O-2', 'O-3']);
  await restore(page, snapshot);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await state.getByText('Restored: 2 orders.').waitFor();
  await state.getByText('Cancelled: 1 instruction, 0 callbacks.').waitFor();
  expect(await orders()).toEqual(['O-1', 'O-2']);
  const other = await browser.open(sandbox.url(), `/clock?project=${project()}-copy`);
  await restore(other, snapshot);
  await other.getByRole('button', { name: 'Restore', exact: true }).click();
  await other.getByText('Restored: 2 orders.').waitFor();
});

inBrowser('a project is forked, and reset by keyboard, which restores the focus', async () => {
  await freeze();
  await importJobs('J-1');
  const page = await open();
  await page.getByRole('button', { name: /^Fork p-/ }).click();
  await section(page, `State of ${project()}-fork`).waitFor();
  await page.getByText(`This is ${project()}-fork, a copy of ${project()}`).waitFor();
  await expect.poll(async () => (await due(page))[0]).toContain('Process 1 entry of asyncImportJobs');
  await page.goBack();
  const reset = `Reset ${project()}`;
  const dialog = page.getByRole('dialog', { name: `${reset}?` });
  await page.getByRole('button', { name: `${reset}…` }).focus();
  for (const answer of ['Cancel', reset]) {
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Cancel');
    if (answer !== 'Cancel') await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe(answer);
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => focused(page)).toBe(`${reset}…`);
  }
  await page.getByText(`${project()} was reset.`).waitFor();
  await page.getByText('Cancelled: 1 instruction, 0 callbacks.').waitFor();
  expect(await items('requests')).toEqual([]);
});
