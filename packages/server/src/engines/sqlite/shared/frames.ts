import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** The length of a message goes before it, in so many bytes. */
const HEADER = 4;

/** Sends a value, which the other end receives as a copy. */
export const sendFrame = (socket: Socket, value: unknown): void => {
  const payload = serialize(value);
  const frame = Buffer.allocUnsafe(HEADER + payload.length);
  frame.writeUInt32LE(payload.length);
  payload.copy(frame, HEADER);
  socket.write(frame);
};

/** Calls back with each value that the other end has sent. A large one is joined once, when all of it is there. */
export const receiveFrames = <Value>(socket: Socket, receive: (value: Value) => void): void => {
  let chunks: Buffer[] = [];
  let length = 0;
  let wanted = HEADER;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < wanted) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    const sizeOfNext = (): number => (rest.length < HEADER ? HEADER : HEADER + rest.readUInt32LE());
    for (wanted = sizeOfNext(); rest.length >= wanted && wanted > HEADER; wanted = sizeOfNext()) {
      receive(deserialize(rest.subarray(HEADER, wanted)));
      rest = rest.subarray(wanted);
    }
    chunks = rest.length > 0 ? [rest] : [];
    length = rest.length;
  });
};
