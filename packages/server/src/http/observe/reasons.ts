import { ownMember } from '@trellis/openapi/json';
import { safeText } from './safe-text.ts';

/** How many characters of a reason are logged: it may hold names that clients choose. */
const LONGEST = 300;

/** Why a request was refused or failed: what is meant for the log alone, or else the message of the error. */
export const reasonOf = ({ cause, message }: Error): string =>
  safeText(typeof cause === 'string' ? cause : message, LONGEST);

/** What members of error bodies are usually called. */
const CODES = ['error', 'code'];
const MESSAGES = ['message', 'detail', 'title', 'error'];

const isCode = (value: unknown): boolean => typeof value === 'number';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** The error that a handler has written into the body of its reply: its number and its message, if they can be told. */
export const describeErrorBody = (body: unknown): { error?: unknown; reason?: string } => {
  const find = (names: readonly string[], fits: (value: unknown) => boolean): unknown =>
    names.map((name): unknown => ownMember(body, name)).find(fits);
  const [error, message] = [find(CODES, isCode), find(MESSAGES, isText)];
  return {
    ...(error !== undefined && { error }),
    ...(message !== undefined && { reason: safeText(`${message}`, LONGEST) }),
  };
};
