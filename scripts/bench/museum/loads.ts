import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { querySqlite } from '../../support/query.ts';
import { runWrk } from '../load.ts';
import { findWrongCount, measureLoad } from '../round.ts';
import type { Contender } from '../rounds.ts';
import { type Entry, inFolder, startServer } from '../subjects.ts';
import { STAFF } from './entries.ts';

const AUTHORIZATION = `Basic ${btoa(STAFF)}`;
const SCRIPT = new URL('museum.lua', import.meta.url);

/** The dates of each event. On each of them 20 tickets are sold. */
const DATES = ['2031-05-01', '2031-05-02', '2031-05-03'];

/** What is measured. */
interface Kind {
  readonly title: string;
  /** How many events there are, so that no load of so many seconds is sold out. */
  readonly events: (seconds: number) => number;
  /** The requests for an event, as museum.lua reads them. */
  readonly requests: (eventId: string) => readonly string[];
  readonly status: number;
}

/** The loads: an event is read, and a ticket is bought in a transaction. */
export const KINDS: readonly Kind[] = [
  {
    title: 'reads/s',
    events: () => 100,
    requests: (eventId) => [`GET /special-events/${eventId}`],
    status: 200,
  },
  {
    title: 'tickets/s',
    events: (seconds) => 400 * seconds,
    requests: (eventId) =>
      DATES.map((ticketDate) => {
        const ticket = { ticketType: 'event', ticketDate, eventId, email: 'todd@example.com' };
        return `POST /tickets ${JSON.stringify(ticket)}`;
      }),
    status: 201,
  },
];

const createEvent = async (url: string, name: string): Promise<string> => {
  const event = { name, location: 'Tearoom', eventDescription: 'Tea with historical figures', dates: DATES };
  const reply = await fetch(`${url}/special-events`, {
    method: 'POST',
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ ...event, price: 60.5 }),
  });
  if (reply.status !== 201) throw new Error(`an event was answered ${reply.status} ${await reply.text()}`);
  return Object(await reply.json()).eventId;
};

const createEvents = async (url: string, events: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < events)
    ids.push(...(await Promise.all(Array.from({ length: 50 }, (_, nth) => createEvent(url, `Tea ${nth}`)))));
  return ids;
};

const countTickets = (path: string): number =>
  Number(querySqlite(path, 'SELECT count(*) AS tickets FROM ticket')[0]?.tickets);

/** Makes a contender of a museum, for one kind of load. Every round has a new SQLite file. */
export const toContender = (
  entry: Entry,
  { events, requests, status }: Kind,
  { node, seconds, connections }: { node: string; seconds: number; connections: number },
): Contender => {
  const round = async (folder: string) => {
    const path = join(folder, 'museum.db');
    const file = join(folder, 'requests');
    const running = await startServer(entry, node, folder, `sqlite:${path}`);
    try {
      const ids = await createEvents(running.url, events(seconds));
      await writeFile(file, ids.flatMap(requests).join('\n'));
      const load = {
        url: running.url,
        connections,
        script: SCRIPT,
        args: [file, AUTHORIZATION, `${status}`],
      };
      const { acknowledged, measurements, wrong } = await measureLoad(running.pid, seconds, (seconds) =>
        runWrk({ ...load, seconds }),
      );
      await running.stop();
      const bought = status === 201 ? acknowledged : 0;
      return {
        measurements,
        wrong: [...wrong, ...findWrongCount(countTickets(path), bought, 2 * connections)],
      };
    } finally {
      await running.stop();
    }
  };
  return { name: entry.name, title: entry.title, round: () => inFolder(round) };
};
