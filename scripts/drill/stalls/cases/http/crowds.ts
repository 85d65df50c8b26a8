import { AUTHORIZATION, HOST, JSON_TYPE, lengthOf, writeRequest } from '../../../wire.ts';
import type { Choices, StallCase, StallClass } from '../../case.ts';

/** As many as the service lets one connection pipeline. */
const REQUESTS = 16;

/** Many connections that each pipeline the same request. Those that wait for more than a second get 503. */
const crowd = ({ pick, between }: Choices, request: Buffer, status: number): StallCase => ({
  to: 'default',
  bytes: Buffer.alloc(request.length * REQUESTS, request),
  expects: [status, 503],
  crowd: { connections: between(500, 1000), requests: REQUESTS, isKept: pick(true, false) },
});

const PLANT = '{"id":1,"name":"a"}';
const post = (...fields: readonly string[]): Buffer =>
  writeRequest('POST /plants HTTP/1.1', [HOST, ...fields, JSON_TYPE, lengthOf(PLANT)], PLANT);

/** Requests that are cheap alone, from hundreds of connections that pipeline them. */
export const CROWDS: StallClass = {
  title: 'crowds that pipeline',
  cases: {
    'small requests': (choices) => crowd(choices, writeRequest('GET /x HTTP/1.1', [HOST]), 404),
    probes: (choices) => crowd(choices, writeRequest('GET /healthz HTTP/1.1', [HOST]), 200),
    'creates without a token': (choices) => crowd(choices, post(), 401),
    creates: (choices) => crowd(choices, post(AUTHORIZATION), 200),
    'many header fields': (choices) => {
      const fields = Array.from({ length: choices.between(20, 60) }, (_, nth) => `a${nth}: 1`);
      return crowd(choices, writeRequest('GET /x HTTP/1.1', [HOST, ...fields]), 404);
    },
  },
};
