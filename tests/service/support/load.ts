import { read } from '../../../packages/server/tests/support/service.ts';
import type { ServiceProcess } from '../../../scripts/support/service.ts';
import { until } from '../../support/postgres/conditions.ts';
import { post } from './service.ts';

/** The plant that goes under an id. */
export const plantOf = (id: number) => ({ id, name: `plant ${id}`, tag: 'durable' });

/** A plant as text, for lookups, from a reply or from a row. */
export const toText = ({ id, name, tag }: { id: number | string; name: string; tag: string | null }) =>
  JSON.stringify([`${id}`, name, tag]);

/** A reply that a client got, and its time. */
export interface Answer {
  readonly id: number;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
  readonly asked: number;
  readonly answered: number;
}

/** Creates the plant of an id. */
export const create = async (
  service: ServiceProcess,
  id: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const asked = performance.now();
  const response = await post(service, JSON.stringify(plantOf(id)), headers);
  const { status, body } = await read(response);
  return {
    id,
    status,
    retryAfter: response.headers.get('retry-after'),
    body,
    asked,
    answered: performance.now(),
  };
};

/** Whether a service says that it has too much to do now. It has tried nothing then. */
export const isOverload = (said: unknown): boolean =>
  typeof said === 'object' && said !== null && 'error' in said && said.error === 50302;

/**
 * What becomes of a create in the end: the status of the first reply that is not about overload, which a busy machine
 * has.
 */
export const settle = (service: { url: string }, plant: object): Promise<number> =>
  until(
    'the service has time',
    async () => {
      const { status, body } = await read(post(service, JSON.stringify(plant)));
      return isOverload(body) ? undefined : status;
    },
    20_000,
  );

/** Several clients that create one plant after another, and remember every answer. */
export const startLoad = (service: ServiceProcess, clients = 8, headers = {}) => {
  const answers: Answer[] = [];
  let stopped = false;
  const runClient = async (client: number) => {
    for (let id = client; !stopped; id += clients) answers.push(await create(service, id, headers));
  };
  const done = Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)));
  done.catch(() => {}); // told by stop(), if the test gets that far
  return {
    /** Settles with the first answers of a kind, once there are that many. */
    untilSeen: (what: string, isSought: (answer: Answer) => boolean, count = 1) =>
      until(what, async () => {
        const seen = answers.filter(isSought);
        return seen.length >= count ? seen : undefined;
      }),
    stop: async (): Promise<readonly Answer[]> => {
      stopped = true;
      await done; // rejects if any request was left without an answer
      return answers;
    },
  };
};
