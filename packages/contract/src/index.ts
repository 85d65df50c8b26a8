export type { UploadedField, UploadedFile } from './body/multipart/upload-form.ts';
export type { Upload } from './body/upload.ts';
export {
  type ContractOptions,
  type ContractReply,
  type ContractRequest,
  createContract,
} from './create-contract.ts';
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
export type { HandlerLog, IncomingRequest } from './incoming.ts';
export { type ErrorBody, PROBLEMS, Problem, problem, type Refusal } from './problems/problem.ts';
export type { ErrorBodyOf } from './reply/refusal/form.ts';
export { stub } from './reply/stub.ts';
export {
  type ApiKeyAuthenticator,
  type Authenticator,
  type Authenticators,
  type BasicAuthenticator,
  type BearerAuthenticator,
  hasScope,
  type Principal,
  type RequestAuthenticator,
} from './security.ts';
