import { coveringOf } from '@trellis/openapi/internal/http';
import { isTree, pointerTo } from '@trellis/openapi/internal/json';
import { withAbsoluteUrls } from '@trellis/openapi/internal/values';
import type { Contract, Schemas } from '../../document/contract.ts';
import { type DeclaredReply, type Operation, repliesAt, replyFor } from '../../document/operations.ts';
import { type Breach, hasUnspecified, isStub, type Reply, single } from '../../requests/call.ts';
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

/** Statuses that report an invalid request. A valid request must not get them. */
const REFUSALS = [400, 405, 406, 408, 411, 413, 414, 415, 417, 431];
/** Statuses of an invalid request that a service may send without declaring them. */
const GENERAL_REFUSALS = [400, 401, 403, 409, 415, 422];
const NO_BODY = [204, 205, 304];

/** Judges like for services, but accepts relative references as URLs: a stub sends the examples of the contract. */
const forStubs = (schemas: Schemas): Schemas => ({
  ...schemas,
  complaintsOf(schema, value) {
    const complaints = schemas.complaintsOf(schema, value);
    const isFit = complaints.length === 0 || schemas.accepts(schema, withAbsoluteUrls(value));
    return isFit ? [] : complaints;
  },
});

/** Creates a function that judges replies. */
export const createJudge = ({ request, reply: serviceSchemas }: Contract) => {
  const logsIn = createLogsIn(request);
  const stubSchemas = forStubs(serviceSchemas);
  const schemasFor = (reply: Reply): Schemas => (isStub(reply) ? stubSchemas : serviceSchemas);

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
    // The schema describes the whole body, not a range; multipart/byteranges is sent undeclared (RFC 9110, section 14.6).
    const isPart = /^bytes /.test(single(reply.headers['content-range']) ?? '');
    if (status === 206 && (content ? isPart : essence === 'multipart/byteranges')) return undefined;
    if (!content) return { what: `Content-Type ${type ?? 'missing'}, which is not declared`, at: contentAt };
    return judgeBody(schemasFor(reply), content, reply);
  };

  /** Compares a reply with the declaration of its status: headers, media type, body. */
  const judgeDeclared = (operation: Operation, reply: Reply): Breach | undefined => {
    const declared = replyFor(operation, reply.status);
    if (!declared) return { what: `status ${reply.status}, which is not declared`, at: repliesAt(operation) };
    for (const header of declared.headers) {
      const breach = judgeHeader(schemasFor(reply), header, reply);
      if (breach) return breach;
    }
    return judgeContent(declared, operation.method, reply);
  };

  /** An undeclared 4xx reply may have any shape that a client can parse. */
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
    const { refusal, alsoRight = [], call, at } = probe;
    const { operation } = call;
    const { status } = reply;
    const mayRefuse = probe.mayRefuse || hasUnspecified(call) || isAboutCursor(call, status);
    const isOfStub = isStub(reply);
    if (status >= 500 && !isOfStub)
      return {
        what: `status ${status}: the service failed`,
        at: replyFor(operation, status)?.at ?? repliesAt(operation),
      };
    // 429 is not about the request.
    if (status === 429) return judgeDeclared(operation, reply);
    const isExcess = isTooMuch(call, status);
    if (mayRefuse && status >= 400 && !replyFor(operation, status)) return undefined;
    if (isExcess && !replyFor(operation, status)) return undefined;
    if (refusal !== 401 && mayBeTaken(call, status)) return judgeRefusal(operation, reply);
    if (refusal === undefined) {
      const isUnknown = status === 401 && operation.security.length > 0 && !logsIn(operation);
      const isRefused = (REFUSALS.includes(status) && !isAboutNoBody(call, status)) || isUnknown;
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
