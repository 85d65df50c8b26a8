/** A service whose tasks (and store, with `none`) record their events in the file `events` of its folder. */

import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openData } from '@trellis/data';
import { type BackgroundTask, serve } from '@trellis/server';
import { THINGS_FILE } from '../../support/service.ts';
import { createThingHandlers, createThings } from '../../support/things.ts';

const note = (event: string): void =>
  appendFileSync('events', `${JSON.stringify({ event, pid: process.pid })}\n`);

/** Works until it is aborted, and then takes a moment to end. */
const steady: BackgroundTask = {
  name: 'steady',
  async run({ signal }) {
    note('begin');
    if (!signal.aborted) await once(signal, 'abort');
    await sleep(200);
    note('end');
  },
};

const deaf: BackgroundTask = { name: 'deaf', run: () => new Promise(() => {}) };

await serve({
  name: 'tasks',
  version: '1',
  contract: pathToFileURL(THINGS_FILE),
  databaseUrl: 'none',
  openStore: async (config, options) =>
    config.databaseUrl === 'none'
      ? { check: async () => undefined, close: async () => note('close') }
      : openData(config, { name: 'tasks', migrations: [] }, options),
  handlers: () => createThingHandlers(createThings()),
  background: () => (process.env.TASKS === 'deaf' ? [steady, deaf] : [steady]),
});
