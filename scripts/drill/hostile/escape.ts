import { gzipSync } from 'node:zlib';

/** How many characters of bytes are printed. */
const MAX_LENGTH = 2000;

/** Bytes as readable text. Of a long one only the two ends. */
export const escapeBytes = (bytes: Buffer): string => {
  const text = JSON.stringify(bytes.toString('latin1')).slice(1, -1);
  const visible = text.replace(/[\x7f-\xff]/g, (byte) => `\\u00${byte.charCodeAt(0).toString(16)}`);
  return visible.length > MAX_LENGTH
    ? `${visible.slice(0, MAX_LENGTH / 2)} …${visible.length - MAX_LENGTH} more… ${visible.slice(-MAX_LENGTH / 2)}`
    : visible;
};

/** A shell command that sends bytes to port 3000 and shows the reply. Many bytes are compressed in it. */
export const commandFor = (bytes: Buffer): string => {
  const escaped = bytes
    .toString('latin1')
    .replace(/[^ -~]|[\\'%]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
  const write =
    escaped.length > MAX_LENGTH
      ? `echo ${gzipSync(bytes).toString('base64')} | base64 -d | gunzip`
      : `printf '${escaped}'`;
  return `${write} | nc -N 127.0.0.1 3000`;
};
