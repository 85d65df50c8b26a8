import type { ClientRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for the service to read each piece separately. */
const PAUSE_MS = 2;

/** Where to cut a body: after its first and before its last byte, in its middle, in a multi-byte character, in a boundary. */
const cutsOf = (body: Buffer): number[] => {
  const character = body.findIndex((byte) => byte >= 0xc0) + 1;
  const boundary = body.subarray(0, 2).equals(Buffer.from('--')) ? body.lastIndexOf('\r\n--') + 3 : 0;
  const cuts = [1, body.length >> 1, character, boundary, body.length - 1];
  return [...new Set(cuts)].filter((cut) => cut > 0 && cut < body.length).sort((one, other) => one - other);
};

/** Sends a body in chunks that are cut at awkward places (RFC 9112, section 7.1). */
export const sendPieces = async (outgoing: ClientRequest, body: Buffer = Buffer.alloc(0)): Promise<void> => {
  let start = 0;
  for (const cut of cutsOf(body)) {
    if (outgoing.destroyed) return;
    outgoing.write(body.subarray(start, cut));
    start = cut;
    await pause(PAUSE_MS);
  }
  outgoing.end(body.subarray(start));
};
