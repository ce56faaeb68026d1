/** Starts Chromium, and opens pages of the console with an empty cache, at a part of the processor's speed. */
import { existsSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { chromium } from '../../harness/check-tools.ts';

const candidatePaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium(): string | undefined {
  return candidatePaths.find((file) => existsSync(file));
}

export function openBrowser(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  return chromium.launch({ executablePath, args });
}

export interface OpenPage {
  readonly page: Page;
  readonly session: CDPSession;
  close(): Promise<void>;
}

/** Opens an empty page. `slower`: by which factor the processor is slowed down. `script`: runs before those of the page. */
export async function openPage(
  browser: Browser,
  { slower = 1, script = '' }: { slower?: number; script?: string } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  if (slower !== 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  if (script !== '') await page.addInitScript(script);
  return { page, session, close: () => context.close() };
}

/** Returns ` at a quarter of the speed` for the name of a row. */
export function toSpeed(slower: number): string {
  return slower === 1 ? '' : ', a quarter of the speed';
}
