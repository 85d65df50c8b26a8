import { once } from 'node:events';
import { createServer } from 'node:net';
import { contractTests } from '@trellis/contract-tests';

/** A port that nobody uses, for the receiver of the webhooks: the service is told of it before the tests begin. */
const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

const secret = 'whsec_VGhlIHBhcnJvdHMgZGViYXRlIGF0IGZvdXI=';
const port = await findPort();

// Sends requests that it makes from the contract, right and wrong, to the service as it is built, and checks each reply;
// so it does with the webhooks that arrive.
await contractTests({
  program: 'dist/bin/main.js',
  settings: {
    DATABASE_URL: 'memory:',
    SUBSCRIBERS: `http://127.0.0.1:${port}/webhooks/publishNewEvent`,
    WEBHOOK_NETWORKS: '127.0.0.1',
    WEBHOOK_SECRET: secret,
  },
  webhooks: { port, secret },
});
