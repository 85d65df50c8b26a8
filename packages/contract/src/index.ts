export type { ContractOptions, ContractReply, ContractRequest } from './adapter.ts';
export type { UploadedField, UploadedFile } from './body/multipart/upload-form.ts';
export type { Upload } from './body/upload.ts';
export { createContract } from './create-contract.ts';
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
export { type HandlerLog, hasScope, type Principal } from './request/exchange.ts';
export type { IncomingRequest } from './request/incoming.ts';
export type {
  ApiKeyAuthenticator,
  Authenticator,
  Authenticators,
  RequestAuthenticator,
} from './security/security.ts';
