export { bufferedBytesFor, createBudget, type Share } from './body/budget.ts';
export { addChunk, joinChunks, replacePush, type Unread } from './body/chunks.ts';
export { largestWholeBody } from './body/limits.ts';
export { compilePositions } from './body/multipart/positions.ts';
export type { UploadedField, UploadedFile } from './body/multipart/upload-form.ts';
export { closeUpload, type Upload } from './body/upload.ts';
export { createReplyEncoder, type ReportDropped } from './codec/encode.ts';
export type { UnknownBody } from './codec/findings.ts';
export { isInt64 } from './codec/needs-decoding.ts';
export { escapeMarkup } from './codec/xml.ts';
export { type Contract, createContract, type RequestContext } from './contract.ts';
export type {
  AnyHandlers,
  ContractTypes,
  Handler,
  Handlers,
  LimitedHandler,
  OperationReply,
  OperationRequest,
  Part,
  RequestBody,
  ServerEvent,
  UploadBody,
  UploadHandler,
  UploadRequest,
} from './handler.ts';
export { keyedOperations } from './idempotency/serve-once.ts';
export type { HandlerLog, IncomingRequest, Trust } from './incoming.ts';
export { parameterDefault, parameterSchemaAt } from './parameters/parameters.ts';
export { placeOf } from './parameters/places.ts';
export type { UnknownQuery } from './parameters/unknown-query.ts';
export { violationsIn } from './reply/body-check.ts';
export { compileContents } from './reply/contents.ts';
export type { ErrorBodyOf, Refuse } from './reply/refusal/form.ts';
export { createRefusal } from './reply/refusal/refusals.ts';
export type { WireReply } from './reply/replies.ts';
export { isStreamed, itemSchemaAt, type StreamedPayload } from './reply/streams.ts';
export type { RequestTrace } from './request-trace.ts';
export { answerOtherMethod } from './routing/other-methods.ts';
export { cookieSchemes, createPreflights, replyHeaders } from './routing/preflights.ts';
export {
  basePathOf,
  basePathsOf,
  createServerPaths,
  replaceServers,
  withBasePath,
} from './routing/servers.ts';
export { pathAsSent } from './routing/target.ts';
export { schemaRef } from './validation/references.ts';
export { createValidationContext } from './validation/validation-context.ts';
export { createValidators } from './validation/validators.ts';
