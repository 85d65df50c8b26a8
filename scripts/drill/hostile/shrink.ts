import fc from 'fast-check';
import { bytesOf, type Conversation, conversations, runOf } from './conversation.ts';
import { commandFor, escapeBytes } from './escape.ts';
import { exchange } from './exchange.ts';
import { judge, type Received } from './judge.ts';

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
