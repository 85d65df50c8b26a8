export type { ContractReply, ContractRequest } from './adapter.ts';
export type { UploadedField, UploadedFile } from './body/multipart/upload-form.ts';
export type { Upload } from './body/upload.ts';
export { type ContractOptions, createContract } from './create-contract.ts';
export type {
  ContractTypes,
  Handler,
  Handlers,
  LimitedHandler,
  OperationReply,
  OperationRequest,
  Part,
  RequestBody,
  ServerEvent,
  UploadHandler,
  UploadRequest,
} from './handler.ts';
export { type ErrorBody, PROBLEMS, Problem, problem, type Refusal } from './problems/problem.ts';
export { stub } from './reply/stub.ts';
export type { HandlerLog } from './request/exchange.ts';
export type { IncomingRequest } from './request/incoming.ts';
export { hasScope, type Principal } from './request/principal.ts';
export type {
  ApiKeyAuthenticator,
  Authenticator,
  Authenticators,
  RequestAuthenticator,
} from './security/security.ts';
