export { bufferedBytesFor, createBudget, type Share } from './body/budget.ts';
export { largestWholeBody } from './body/limits.ts';
export { compilePositions } from './body/multipart/positions.ts';
export { addChunk, type BodySource, joinChunks, toBodySource } from './body/read-body.ts';
export { createReplyEncoder } from './codec/encode.ts';
export type { UnknownBody, UnknownQuery } from './codec/findings.ts';
export { escapeMarkup } from './codec/xml.ts';
export { compileContract, type ServeContract } from './contract.ts';
export type { ContractRules } from './contract-rules.ts';
export type { AnyHandlers } from './handler.ts';
export { keyedOperations } from './idempotency/serve-once.ts';
export { parameterDefault, parameterSchemaAt } from './parameters/parameters.ts';
export { placeOf } from './parameters/places.ts';
export type { RawRequest } from './raw-request.ts';
export { compileContents } from './reply/contents.ts';
export {
  createErrorFit,
  createErrorForms,
  type DeclaredError,
  type ErrorBodyOf,
} from './reply/refusal/error-forms.ts';
export { createRefusal, type Refuse } from './reply/refusal/refusals.ts';
export type { WireReply } from './reply/replies.ts';
export { isStreamed, type StreamedPayload } from './reply/replies.ts';
export { itemSchemaAt } from './reply/streams.ts';
export { closeUpload, type Exchange, type RequestTrace } from './request/exchange.ts';
export { cookieSchemes, createPreflights, replyHeaders } from './routing/preflights.ts';
export { answerOtherMethod, pathAsSent } from './routing/routes.ts';
export {
  basePathOf,
  basePathsOf,
  createServerPaths,
  replaceServers,
  withBasePath,
} from './routing/servers.ts';
export type { BasicAuthenticator, BearerAuthenticator } from './security/security.ts';
export { isInt64 } from './validation/edits.ts';
export { createValidationContext } from './validation/validation-context.ts';
export { createValidators, type Validate, violationsIn } from './validation/validators.ts';
