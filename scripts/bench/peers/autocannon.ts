/** Load by autocannon, in a process of its own: the plan comes as JSON in the first argument, the result goes to stdout. */
import autocannon from 'autocannon';
import { createIds, type Plan } from '../load/plan.ts';

const plan: Plan = JSON.parse(process.argv[2] ?? '');
const nextId = createIds(plan.from);

const result = await autocannon({
  url: plan.url,
  connections: plan.connections,
  duration: plan.seconds,
  timeout: 10,
  method: 'POST',
  headers: plan.headers,
  verifyBody: (body) => body === plan.expected,
  requests: [{ setupRequest: (request) => ({ ...request, body: plan.before + nextId() + plan.after }) }],
});

console.log(
  JSON.stringify({
    answers: result.requests.total,
    wrong: result.non2xx + result.mismatches,
    errors: result.errors + result.timeouts,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }),
);
