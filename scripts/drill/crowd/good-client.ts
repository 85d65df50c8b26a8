/**
 * A client that means well, in a process of its own: creates on one kept connection, one after the other, and asks for
 * /healthz on a new connection now and then.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerWith } from '../measure/answering.ts';
import { toFigures, withMissed } from '../measure/figures.ts';

/** How long it waits between an answer and the next request, and how often it would ask if all answers were quick. */
const PAUSE = { create: 2, health: 20 };
const EVERY = { create: 10, health: 25 };

interface Asked {
  readonly url: string;
  readonly agent: Agent | false;
  readonly method?: string;
  readonly token?: string;
  readonly body?: string;
}

const statusOf = ({ url, agent, method = 'GET', token, body }: Asked): Promise<number> =>
  new Promise((resolve) => {
    const headers =
      body === undefined ? {} : { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    request(url, { agent, method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    })
      .on('error', () => resolve(0))
      .end(body);
  });

/** Asks the same way over and over, and remembers how long each answer took. */
const createLoop = (ask: (nth: number) => Promise<number>, pause: number, every: number) => {
  let waits: number[] = [];
  let failures: number[] = [];
  let begun: number | undefined;
  const run = async (): Promise<void> => {
    for (let nth = 1; ; nth += 1) {
      begun = performance.now();
      const status = await ask(nth);
      if (status === 200) waits.push(performance.now() - begun);
      else failures.push(status);
      begun = undefined;
      await sleep(pause);
    }
  };
  void run();
  return {
    mark(): void {
      waits = [];
      failures = [];
    },
    /** Whoever waits now has waited at least so long. */
    read: () => ({
      ...toFigures(withMissed(begun === undefined ? waits : [...waits, performance.now() - begun], every)),
      answered: waits.length,
      failures: failures.length,
      statuses: [...new Set(failures)],
    }),
  };
};

type Loop = ReturnType<typeof createLoop>;

const NO_LOOP: Loop = {
  mark() {},
  read: () => ({ ...toFigures([]), answered: 0, failures: 0, statuses: [] }),
};
let creates = NO_LOOP;
let health = NO_LOOP;

const start = (url: string, token: string | undefined): void => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = (nth: number) => `{"id":${nth},"name":"plant ${nth}"}`;
  if (token !== undefined)
    creates = createLoop(
      (nth) => statusOf({ url: `${url}/plants`, agent, method: 'POST', token, body: body(nth) }),
      PAUSE.create,
      EVERY.create,
    );
  health = createLoop(() => statusOf({ url: `${url}/healthz`, agent: false }), PAUSE.health, EVERY.health);
};

answerWith((question, url, token) => {
  if (question === 'start') return start(String(url), token === undefined ? undefined : String(token));
  if (question === 'read') return { creates: creates.read(), health: health.read() };
  creates.mark();
  health.mark();
});
