import { after } from 'node:test';
import { contractTests } from '@trellis/contract-tests';
import { startConduit } from './start-conduit.ts';

const { url, register, stop } = await startConduit();
const { token } = await register();
after(stop);

// Sends requests that it makes from the contract, right and wrong, as a user, and checks each reply.
await contractTests({ url, apiKeys: { Authorization: `Token ${token}` } });
