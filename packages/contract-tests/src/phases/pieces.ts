import { gzipSync } from 'node:zlib';
import type { Content } from '../document/operations.ts';
import { withFields } from '../http/attempt.ts';
import { isMisunderstood, isSuccess } from '../http/rule.ts';
import { differenceOf } from '../http/sameness.ts';
import type { Draft, Reply } from '../requests/draft.ts';
import { withoutOptions } from '../requests/valid.ts';
import type { Session } from '../session.ts';
import type { Findings } from './findings.ts';
import type { Sample } from './samples.ts';
import { samplesOf } from './send-cases.ts';

/** The most media types of an operation that are sent in pieces. */
const MOST_TYPES = 3;

/** Makes a function that sends bodies in pieces, which are the same bodies (RFC 9112, section 7.1). */
export const createTryPieces = (session: Session, { ask, report, note }: Findings) => {
  const { bodies, draftOf } = session;

  /** Sends a request in pieces between others that are whole, and says how its reply differs. */
  const compare = async (whole: Draft) => {
    const pieces = withFields(whole, { 'Transfer-Encoding': 'chunked' });
    const usual = [await ask('valid request', whole), await ask('valid request', whole)];
    const { reply, breach } = await ask('a body in pieces', pieces, { mayHangUp: true });
    usual.push(await ask('valid request', whole));
    const replies = usual.flatMap((each) => each.reply ?? []);
    const what = replies.length < usual.length ? undefined : (breach?.what ?? differenceOf(reply, replies));
    return { pieces, reply, what, replies };
  };

  /** Reports what is found twice, which is no chance. Gives the replies if there is nothing to report. */
  const tryOne = async (name: string, whole: Draft): Promise<Reply[]> => {
    const { id, at } = whole.operation;
    const first = await compare(whole);
    // RFC 9112, section 6.3, lets a server ask for a length all the same.
    if (first.reply?.status === 411) note(`${id}: refuses ${name} with 411`);
    else if (first.what === undefined) return first.replies;
    else {
      const { pieces, reply, what } = await compare(whole);
      if (what !== undefined) report(name, pieces, { reply, breach: { what, at } });
    }
    return [];
  };

  /** Tries a compressed body as well, where the service reads one that is whole. */
  const tryDraft = async (draft: Draft): Promise<void> => {
    const replies = await tryOne('a body in pieces', draft);
    if (replies.length === 0 || !draft.body) return;
    const body = { ...draft.body, bytes: gzipSync(draft.body.bytes) };
    const zipped = withFields({ ...draft, body }, { 'Content-Encoding': 'gzip' });
    const { reply } = await ask('a body in gzip', zipped);
    if (reply && isSuccess(reply) && differenceOf(reply, replies) === undefined)
      await tryOne('a body in gzip and in pieces', zipped);
  };

  return async ({ operation, valid }: Sample): Promise<void> => {
    const drawn = [...samplesOf(session, operation).map(withoutOptions), valid];
    /** Two bodies of a media type: one with a character of several bytes, and one that is served most likely. */
    const candidatesOf = (content: Content): Set<typeof valid> => {
      const own = drawn.filter(({ body }) => body?.content === content);
      const isLong = ({ body }: typeof valid): boolean =>
        body !== undefined && bodies.write(content, body.value)?.bytes.some((byte) => byte >= 0xc0) === true;
      return new Set([...own.filter(isLong).slice(0, 1), ...own.slice(-1)]);
    };
    for (const content of operation.body?.contents.slice(0, MOST_TYPES) ?? [])
      for (const each of candidatesOf(content)) {
        const draft = await draftOf(operation, each);
        if (isMisunderstood((await ask('valid request', draft)).reply)) continue;
        await tryDraft(draft);
        break;
      }
  };
};
