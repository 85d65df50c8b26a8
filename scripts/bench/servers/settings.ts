import { timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';

/** Every server of the benchmark takes the settings of the service itself. */
const read = (name: string): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} must be set; \`npm run bench\` does`);
};

/** Where the plants are to be kept. */
export const DATABASE_FILE = read('DATABASE_URL').replace(/^sqlite:/, '');

/** The one token that there is. */
export const TOKEN = read('ACCESS_TOKENS').replace(/^[^:]*:/, '');

const EXPECTED = Buffer.from(`Bearer ${TOKEN}`);

/** Whether an Authorization header holds the one token that there is. */
export const isAuthorized = (header: unknown): boolean => {
  const given = Buffer.from(String(header));
  return given.length === EXPECTED.length && timingSafeEqual(given, EXPECTED);
};

/** Tells whoever started the server where it listens, in the words of the service. */
export const announce = (address: string): void => console.log(JSON.stringify({ msg: 'listening', address }));

/** Lets the system choose a port, and announces it. */
export const listen = (server: Server): void => {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) announce(`http://127.0.0.1:${address.port}`);
  });
};
