import type { Request } from 'express';

/** Whether an address is that of a proxy whose headers are believed: Express makes it of its setting `trust proxy`. */
export type Trust = (address: string | undefined, nth: number) => boolean;

/** Whether a request comes from a proxy whose headers are believed. */
export const isProxied = ({ app, socket }: Request): boolean => {
  const trust: Trust = app.get('trust proxy fn');
  return trust(socket.remoteAddress, 0);
};
