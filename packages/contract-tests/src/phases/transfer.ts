import { gzipSync } from 'node:zlib';
import type { Content, Operation } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { withFields } from '../http/attempt.ts';
import { differenceOf, isMisunderstood, isSuccess } from '../http/rule.ts';
import { writeBody } from '../requests/bodies.ts';
import type { Call, Reply } from '../requests/call.ts';
import { withoutOptions } from '../requests/valid.ts';
import type { Session } from '../session.ts';
import { samplesOf } from './cases.ts';
import { type Collector, createCollector, type Sample, takeSamples } from './collector.ts';
import { hasRanges, hasTags, isGuarded, tryGuard, tryReads } from './conditions.ts';
import type { Findings, Phase } from './phase.ts';

const MOST_TYPES = 3;

/** Creates a check that sends bodies in chunks, which are the same bodies (RFC 9112, section 7.1). */
const createTryPieces = (session: Session, { ask, report, note }: Collector) => {
  const { contract, callOf } = session;

  /** Sends a request in chunks between unchunked requests, and compares the replies. */
  const compare = async (whole: Call) => {
    const pieces = withFields(whole, { 'Transfer-Encoding': 'chunked' });
    const usual = [await ask('valid request', whole), await ask('valid request', whole)];
    const { reply, breach } = await ask('a body in pieces', pieces);
    usual.push(await ask('valid request', whole));
    const replies = usual.flatMap((each) => each.reply ?? []);
    const isUsual = replies.length === usual.length;
    const what = isUsual ? ((reply && breach?.what) ?? differenceOf(reply, replies)) : undefined;
    return { pieces, reply, what, replies };
  };

  /** Reports a difference that occurs twice. Without a difference, returns the replies. */
  const tryOne = async (name: string, whole: Call): Promise<Reply[]> => {
    const { id, at } = whole.operation;
    const first = await compare(whole);
    // A server may require Content-Length (RFC 9112, section 6.3).
    if (first.reply?.status === 411) note(`${id}: refuses ${name} with 411`);
    else if (first.what === undefined) return first.replies;
    else {
      const { pieces, reply, what } = await compare(whole);
      if (what !== undefined) report(name, pieces, { reply, breach: { what, at } });
    }
    return [];
  };

  /** Sends a body in chunks, and compressed as well if the service accepts it unchunked. */
  const tryCompressed = async (call: Call): Promise<void> => {
    const replies = await tryOne('a body in pieces', call);
    if (replies.length === 0 || !call.body) return;
    const body = { ...call.body, bytes: gzipSync(call.body.bytes) };
    const zipped = withFields({ ...call, body }, { 'Content-Encoding': 'gzip' });
    const { reply } = await ask('a body in gzip', zipped);
    if (reply && isSuccess(reply) && differenceOf(reply, replies) === undefined)
      await tryOne('a body in gzip and in pieces', zipped);
  };

  return async ({ operation, valid }: Sample): Promise<void> => {
    const drawn = [...samplesOf(session, operation).map(withoutOptions), valid];
    /** Two bodies of a media type: one with a multi-byte character, and one that most likely succeeds. */
    const candidatesOf = (content: Content): Set<typeof valid> => {
      const own = drawn.filter(({ body }) => body?.content === content);
      const isLong = ({ body }: typeof valid): boolean =>
        body !== undefined &&
        writeBody(contract.request, content, body.value)?.bytes.some((byte) => byte >= 0xc0) === true;
      return new Set([...own.filter(isLong).slice(0, 1), ...own.slice(-1)]);
    };
    for (const content of operation.body?.contents.slice(0, MOST_TYPES) ?? [])
      for (const each of candidatesOf(content)) {
        const call = await callOf(operation, each);
        if (isMisunderstood((await ask('valid request', call)).reply)) continue;
        await tryCompressed(call);
        break;
      }
  };
};

const examinedOf = (operations: readonly Operation[]): Operation[] => {
  const isTagged = operations.some(hasTags);
  const hasBody = ({ body }: Operation): boolean => body !== undefined && body.contents.length > 0;
  return operations.filter(
    (each) => hasBody(each) || hasRanges(each) || hasTags(each) || (isTagged && isGuarded(each)),
  );
};

/** The phase about the transfer of bodies: chunks, ranges and preconditions. */
export const createTransferPhase = (session: Session): Phase => {
  const run = async (operations: readonly Operation[]): Promise<Findings> => {
    const collector = createCollector(session);
    const tryPieces = createTryPieces(session, collector);
    return collector.findingsOf(async () => {
      const samples = await takeSamples(session, operations, collector.askUsual);
      const get = samples.find(({ operation }) => hasTags(operation));
      for (const sample of samples) {
        await tryPieces(sample);
        if (hasRanges(sample.operation) || hasTags(sample.operation)) await tryReads(collector, sample);
        if (get && isGuarded(sample.operation)) await tryGuard(session, collector, sample, get);
      }
    });
  };

  return {
    name: 'transfer',
    promise: 'bodies in pieces, ranges and conditions are served as HTTP says',
    subjects: createKnownPaths(session.operations).known.flatMap(({ path, operations }) => {
      const examined = examinedOf(operations);
      return examined.length === 0 ? [] : [{ title: path, operations: examined, run: () => run(examined) }];
    }),
  };
};
