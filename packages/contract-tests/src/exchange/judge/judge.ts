import { coveringOf } from '@trellis/openapi/http';
import { isTree, pointerTo } from '@trellis/openapi/json';
import { withAbsoluteUrls } from '@trellis/openapi/values';
import type { Contract, Side } from '../../document/contract.ts';
import { type DeclaredReply, type Operation, repliesAt, replyFor } from '../../document/operations.ts';
import { type Breach, hasUnspecified, isStub, type Reply, single } from '../../requests/draft.ts';
import type { Probe } from '../../requests/probe.ts';
import { readJson } from '../../values/json.ts';
import { judgeBody } from './judge-content.ts';
import { judgeHeader } from './judge-headers.ts';
import {
  createLogsIn,
  isAboutCursor,
  isAboutNoBody,
  isTooMuch,
  isUnknownPath,
  mayBeTaken,
  mayRefuseWith,
} from './refusals.ts';

/** Statuses that say a request was not valid; a valid one must not get them. */
const REFUSALS = [400, 405, 406, 408, 411, 413, 414, 415, 417, 431];
/** Statuses that a service may refuse an invalid request with, even if the operation does not declare them. */
const GENERAL_REFUSALS = [400, 401, 403, 409, 415, 422];
const NO_BODY = [204, 205, 304];

/** Judges as for services, but takes relative references for URLs: a stub sends the examples of the contract. */
const forStubs = (side: Side): Side => ({
  ...side,
  complaintsOf(schema, value) {
    const complaints = side.complaintsOf(schema, value);
    const isFit = complaints.length === 0 || side.accepts(schema, withAbsoluteUrls(value));
    return isFit ? [] : complaints;
  },
});

/** Makes a function that judges replies. */
export const createJudge = ({ request, reply: serviceSide }: Contract) => {
  const logsIn = createLogsIn(request);
  const stubSide = forStubs(serviceSide);
  const sideOf = (reply: Reply): Side => (isStub(reply) ? stubSide : serviceSide);

  const judgeContent = (
    { contents, at }: DeclaredReply,
    method: string,
    reply: Reply,
  ): Breach | undefined => {
    const { status, body } = reply;
    const type = single(reply.headers['content-type']);
    if (method === 'HEAD') return undefined;
    if (contents.length === 0 || NO_BODY.includes(status))
      return body.length > 0 ? { what: `a body, where ${status} has none`, at } : undefined;
    const contentAt = at + pointerTo('content');
    if (body.length === 0 && !reply.stream) {
      const isEmptyText = contents.some(({ kind }) => kind === 'text' || kind === 'binary');
      return isEmptyText ? undefined : { what: 'no body', at: contentAt };
    }
    const essence = type?.split(';', 1)[0]?.toLowerCase();
    const covering = coveringOf(
      contents.map(({ mediaType }) => mediaType),
      type ?? '',
    );
    const content = contents.find(({ mediaType }) => mediaType === covering);
    // A part of a body fits no schema of the whole; several parts have a media type of their own (RFC 9110, section 14.6).
    const isPart = /^bytes /.test(single(reply.headers['content-range']) ?? '');
    if (status === 206 && (content ? isPart : essence === 'multipart/byteranges')) return undefined;
    if (!content) return { what: `Content-Type ${type ?? 'missing'}, which is not declared`, at: contentAt };
    return judgeBody(sideOf(reply), content, reply);
  };

  /** Compares a reply with what is declared for its status: headers, media type, body. */
  const judgeDeclared = (operation: Operation, reply: Reply): Breach | undefined => {
    const declared = replyFor(operation, reply.status);
    if (!declared) return { what: `status ${reply.status}, which is not declared`, at: repliesAt(operation) };
    for (const header of declared.headers) {
      const breach = judgeHeader(sideOf(reply), header, reply);
      if (breach) return breach;
    }
    return judgeContent(declared, operation.method, reply);
  };

  /** A refusal that the operation does not declare need not have any shape, but a client can parse it. */
  const judgeRefusal = (operation: Operation, reply: Reply): Breach | undefined => {
    if (replyFor(operation, reply.status) || !GENERAL_REFUSALS.includes(reply.status))
      return judgeDeclared(operation, reply);
    if (operation.method === 'HEAD' || isTree(readJson(reply.body))) return undefined;
    return {
      what: `status ${reply.status}, which is not declared, and its body is not a JSON object`,
      at: repliesAt(operation),
    };
  };

  return (probe: Probe, reply: Reply): Breach | undefined => {
    const { refusal, alsoRight = [], draft, at } = probe;
    const { operation } = draft;
    const { status } = reply;
    const mayRefuse = probe.mayRefuse || hasUnspecified(draft) || isAboutCursor(draft, status);
    const isOfStub = isStub(reply);
    if (status >= 500 && !isOfStub)
      return {
        what: `status ${status}: the service failed`,
        at: replyFor(operation, status)?.at ?? repliesAt(operation),
      };
    // A 429 says nothing about the request.
    if (status === 429) return judgeDeclared(operation, reply);
    const isExcess = isTooMuch(draft, status);
    if (mayRefuse && status >= 400 && !replyFor(operation, status)) return undefined;
    if (isExcess && !replyFor(operation, status)) return undefined;
    if (refusal !== 401 && mayBeTaken(draft, status)) return judgeRefusal(operation, reply);
    if (refusal === undefined) {
      const isUnknown = status === 401 && operation.security.length > 0 && !logsIn(operation);
      const isRefused = (REFUSALS.includes(status) && !isAboutNoBody(draft, status)) || isUnknown;
      if (!isOfStub && isRefused && !isExcess && !mayRefuse)
        return {
          what: `a valid request was refused with ${status}`,
          at: replyFor(operation, status)?.at ?? operation.at,
        };
      return isOfStub && !replyFor(operation, status) ? undefined : judgeDeclared(operation, reply);
    }
    if (isUnknownPath(probe, status)) return undefined;
    if (!isExcess && !mayRefuseWith(probe, refusal, status) && !alsoRight.includes(status))
      return { what: `expected ${refusal}, got ${status}`, at: at() };
    return judgeRefusal(operation, reply);
  };
};
