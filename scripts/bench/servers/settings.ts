import { timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';

/** Every server of the benchmark has the settings of the service. */
const read = (name: string): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} must be set; \`npm run bench\` sets it`);
};

/** The file of the store. */
export const DATABASE_FILE = read('DATABASE_URL').replace(/^sqlite:/, '');

/** The only token. */
export const TOKEN = read('ACCESS_TOKENS').replace(/^[^:]*:/, '');

const EXPECTED = Buffer.from(`Bearer ${TOKEN}`);

/** Whether an Authorization header holds the only token. */
export const isAuthorized = (header: unknown): boolean => {
  const given = Buffer.from(String(header));
  return given.length === EXPECTED.length && timingSafeEqual(given, EXPECTED);
};

/** Logs the address of the server in the same words as the service. */
export const announce = (address: string): void => console.log(JSON.stringify({ msg: 'listening', address }));

/** Listens on a port that the system chooses, and announces it. */
export const listen = (server: Server): void => {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) announce(`http://127.0.0.1:${address.port}`);
  });
};
