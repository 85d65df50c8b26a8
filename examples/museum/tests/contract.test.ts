import { once } from 'node:events';
import { createServer } from 'node:net';
import { contractTests } from '@trellis/contract-tests';

/** Finds a free port for the webhook receiver. The service gets its URL before the tests begin. */
const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

const secret = 'whsec_VGhlIHBhcnJvdHMgZGViYXRlIGF0IGZvdXI=';
const port = await findPort();

// Sends valid and invalid requests, generated from the contract, to the service, and checks each reply and each
// webhook.
await contractTests({
  program: 'src/main.ts',
  settings: {
    DATABASE_URL: 'memory:',
    SUBSCRIBERS: `http://127.0.0.1:${port}/webhooks/publishNewEvent`,
    WEBHOOK_NETWORKS: '127.0.0.1',
    WEBHOOK_SECRET: secret,
  },
  webhooks: { port, secret },
});
