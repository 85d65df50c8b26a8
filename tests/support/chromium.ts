import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findExecutable } from './postgres/conditions.ts';

/** Where Chromium is on this machine, if it is. */
export const CHROMIUM = findExecutable('chromium') ?? findExecutable('google-chrome');

const ARTEFACTS = fileURLToPath(new URL('../../coverage/docs/', import.meta.url));

/** One Chromium for a file of tests, and for each test what its pages complain about: scripts, policy, other hosts. */
export const useChromium = () => {
  import.meta.jest.setTimeout(90_000); // on a busy machine it takes its time
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(ARTEFACTS, { recursive: true });
    browser = await chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [], // it has no sandbox for root
    });
  });
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(() => browser.close());

  /** A page of a browser that has never been anywhere. */
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000); // so that a failing test names the line
    return page;
  };

  /** Opens the page of a service, and waits until it has rendered. */
  const open = async (url: string, options: BrowserContextOptions = {}, shown = '.operation') => {
    const page = await newPage(options);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // Chromium reports a reply of 4xx there too; that is no complaint about the page.
      const isReply = message
        .text()
        .startsWith('Failed to load resource: the server responded with a status of 4');
      if (!isReply && ['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(new URL(url).origin))
        complaints.push(`asked ${request.url()}`);
    });
    await page.goto(url);
    await page.locator(shown).first().waitFor();
    return { page, complaints };
  };

  /** Saves a screenshot in coverage/docs. */
  const keepPicture = async (page: Page, name: string): Promise<void> => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${ARTEFACTS}${name}.png`, animations: 'disabled' });
  };

  return { newPage, open, keepPicture };
};
