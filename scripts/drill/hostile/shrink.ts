import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { bytesOf, type Conversation, conversations, runOf } from './conversation.ts';
import { exchange } from './exchange.ts';
import { judge, type Received } from './judge.ts';

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

/** The smallest conversation that shows a finding. */
export interface Shrunk {
  readonly sent: string;
  readonly received: string;
  /** A shell command that sends it to a service on port 3000. */
  readonly command: string;
}

/** How many smaller conversations are tried, and for how long, in milliseconds. */
const MAX_ATTEMPTS = 500;
const MAX_TIME = 20_000;

/** Lets fast-check shrink a conversation as long as the same flaw shows. Returns nothing if it does not show again. */
export const shrink = async (
  port: number,
  { seed, index }: { readonly seed: number; readonly index: number },
  { what, kind }: { readonly what: string; readonly kind: string },
): Promise<Shrunk | undefined> => {
  let attempts = 0;
  let smallest: { conversation: Conversation; received: Received } | undefined;
  const isFine = async (conversation: Conversation): Promise<boolean> => {
    attempts += 1;
    if (attempts > MAX_ATTEMPTS || conversation.ending === 'reset') return true;
    const received = await exchange(port, conversation);
    const shows = judge(conversation, received).some(
      (verdict) => verdict.kind === kind && verdict.flaws.includes(what),
    );
    if (shows) smallest = { conversation, received };
    return !shows;
  };
  await fc.check(fc.asyncProperty(conversations, isFine), {
    ...runOf(seed, index),
    interruptAfterTimeLimit: MAX_TIME,
  });
  if (!smallest) return undefined;
  const bytes = bytesOf(smallest.conversation);
  return {
    sent: escapeBytes(bytes),
    received: escapeBytes(smallest.received.bytes),
    command: commandFor(bytes),
  };
};
