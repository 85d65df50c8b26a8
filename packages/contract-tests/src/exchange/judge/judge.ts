import { coveringOf } from '@trellis/openapi/internal/http';
import { isTree, pointerTo } from '@trellis/openapi/internal/json';
import { withAbsoluteUrls } from '@trellis/openapi/internal/values';
import type { Contract, Schemas } from '../../document/contract.ts';
import {
  type Content,
  type DeclaredReply,
  type Operation,
  repliesAt,
  replyFor,
} from '../../document/operations.ts';
import { type Breach, hasUnspecified, isStub, type Probe, type Reply, single } from '../../requests/call.ts';
import { readJson } from '../../values/json.ts';
import { judgeBody } from './judge-body.ts';
import { judgeHeader } from './judge-items.ts';
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

const contentFor = (contents: readonly Content[], type: string): Content | undefined => {
  const declared = contents.map(({ mediaType }) => mediaType);
  return contents.find(({ mediaType }) => mediaType === coveringOf(declared, type));
};

const judgeContent = (schemas: Schemas, declared: DeclaredReply, reply: Reply): Breach | undefined => {
  const { contents, at } = declared;
  const { status, body } = reply;
  if (contents.length === 0 || NO_BODY.includes(status))
    return body.length > 0 ? { what: `a body, where ${status} has none`, at } : undefined;
  const contentAt = at + pointerTo('content');
  if (body.length === 0 && !reply.stream) {
    const mayBeEmpty = contents.some(({ kind }) => kind === 'text' || kind === 'binary');
    return mayBeEmpty ? undefined : { what: 'no body', at: contentAt };
  }
  const type = single(reply.headers['content-type']);
  const content = contentFor(contents, type ?? '');
  // The schema describes the whole body, not a range; multipart/byteranges is sent undeclared (RFC 9110, section 14.6).
  const isPart = content
    ? /^bytes /.test(single(reply.headers['content-range']) ?? '')
    : /^multipart\/byteranges(?:;|$)/i.test(type ?? '');
  if (status === 206 && isPart) return undefined;
  if (!content) return { what: `Content-Type ${type ?? 'missing'}, which is not declared`, at: contentAt };
  return judgeBody(schemas, content, reply);
};

/** Compares a reply with the declaration of its status: headers, media type, body. */
const judgeDeclared = (schemas: Schemas, operation: Operation, reply: Reply): Breach | undefined => {
  const declared = replyFor(operation, reply.status);
  if (!declared) return { what: `status ${reply.status}, which is not declared`, at: repliesAt(operation) };
  for (const header of declared.headers) {
    const breach = judgeHeader(schemas, header, reply);
    if (breach) return breach;
  }
  return operation.method === 'HEAD' ? undefined : judgeContent(schemas, declared, reply);
};

/** An undeclared 4xx reply may have any shape that a client can parse. */
const judgeRefusal = (schemas: Schemas, operation: Operation, reply: Reply): Breach | undefined => {
  if (replyFor(operation, reply.status) || !GENERAL_REFUSALS.includes(reply.status))
    return judgeDeclared(schemas, operation, reply);
  if (operation.method === 'HEAD' || isTree(readJson(reply.body))) return undefined;
  return {
    what: `status ${reply.status}, which is not declared, and its body is not a JSON object`,
    at: repliesAt(operation),
  };
};

/** Judges the reply to a probe by its status. Returns undefined if the reply needs no further check. */
const judgeStatus = (
  probe: Probe,
  reply: Reply,
  logsIn: (operation: Operation) => boolean,
): Breach | 'declared' | 'refusal' | undefined => {
  const { refusal, alsoRight = [], call, at } = probe;
  const { operation } = call;
  const { status } = reply;
  const declared = replyFor(operation, status);
  const mayRefuse = probe.mayRefuse || hasUnspecified(call) || isAboutCursor(call, status);
  const isOfStub = isStub(reply);
  if (status >= 500 && !isOfStub)
    return { what: `status ${status}: the service failed`, at: declared?.at ?? repliesAt(operation) };
  // 429 is not about the request.
  if (status === 429) return 'declared';
  const isExcess = isTooMuch(call, status);
  if (!declared && (isExcess || (mayRefuse && status >= 400))) return undefined;
  if (refusal !== 401 && mayBeTaken(call, status)) return 'refusal';
  if (refusal === undefined) {
    const isUnknown = status === 401 && operation.security.length > 0 && !logsIn(operation);
    const isRefused = (REFUSALS.includes(status) && !isAboutNoBody(call, status)) || isUnknown;
    if (!isOfStub && isRefused && !isExcess && !mayRefuse)
      return { what: `a valid request was refused with ${status}`, at: declared?.at ?? operation.at };
    return isOfStub && !declared ? undefined : 'declared';
  }
  if (isUnknownPath(probe, status)) return undefined;
  if (!isExcess && !mayRefuseWith(probe, refusal, status) && !alsoRight.includes(status))
    return { what: `expected ${refusal}, got ${status}`, at: at() };
  return 'refusal';
};

/** Creates a function that judges replies. */
export const createJudge = ({ request, reply: forServices }: Contract) => {
  const logsIn = createLogsIn(request);
  const stubs = forStubs(forServices);
  return (probe: Probe, reply: Reply): Breach | undefined => {
    const { operation } = probe.call;
    const schemas = isStub(reply) ? stubs : forServices;
    const found = judgeStatus(probe, reply, logsIn);
    if (found === 'declared') return judgeDeclared(schemas, operation, reply);
    return found === 'refusal' ? judgeRefusal(schemas, operation, reply) : found;
  };
};
