/**
 * The fields of a protobuf message by their numbers, each with its values in order: varints and fixed ones as bigint.
 */
export type Message = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** Reads a protobuf message (encoding: https://protobuf.dev/programming-guides/encoding). */
export const readMessage = (bytes: Buffer): Message => {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new Error('the message ends too early');
    return bytes.subarray(at - length, at);
  };
  const readVarint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const readValue = (wireType: number): bigint | Buffer => {
    if (wireType === 0) return readVarint();
    if (wireType === 1) return take(8).readBigUInt64LE();
    if (wireType === 2) return take(Number(readVarint()));
    if (wireType === 5) return BigInt(take(4).readUInt32LE());
    throw new Error(`there is no wire type ${wireType}`);
  };
  while (at < bytes.length) {
    const tag = Number(readVarint());
    const value = readValue(tag & 7);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
};

/** The values of a field that are bytes, texts or messages. */
export const bytesOf = (message: Message, field: number): Buffer[] =>
  (message.get(field) ?? []).filter((value) => Buffer.isBuffer(value));

/** The only message in a field, or an empty message. */
export const messageIn = (message: Message, field: number): Message =>
  readMessage(bytesOf(message, field)[0] ?? Buffer.alloc(0));

/** The messages of a field. */
export const messagesIn = (message: Message, field: number): Message[] =>
  bytesOf(message, field).map(readMessage);

export const textIn = (message: Message, field: number, encoding: BufferEncoding = 'utf8'): string =>
  bytesOf(message, field)[0]?.toString(encoding) ?? '';

export const numberIn = (message: Message, field: number): number => Number(message.get(field)?.[0] ?? 0n);
