// A program that imports this loads little: what takes time to load, `serve` loads when it needs it. `createService` and
// the authenticators are left out of a bundle that does not use them; `./body-reader` is apart, because bundlers keep
// for all programs what one of them uses.

export type { TokenEntry } from './auth/entries.ts';
export { type AuthSettings, type LiveAuthenticator, openAuthenticator } from './auth/open.ts';
export { readAuthSettings } from './auth/settings.ts';
export { createStaticTokens } from './auth/static-tokens.ts';
export { every } from './background/every.ts';
export type { BackgroundTask, TaskContext, TaskMetric } from './background/task.ts';
export type { UploadedField, UploadedFile } from './contract/body/multipart/upload-form.ts';
export type { Upload } from './contract/body/upload.ts';
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
} from './contract/handler.ts';
export type { HandlerLog, IncomingRequest } from './contract/incoming.ts';
export { type ErrorBody, PROBLEMS, Problem, problem, type Refusal } from './contract/problems/problem.ts';
export type { ErrorBodyOf } from './contract/reply/refusal/form.ts';
export { stub } from './contract/reply/stub.ts';
export {
  type ApiKeyAuthenticator,
  type Authenticator,
  type Authenticators,
  type BasicAuthenticator,
  type BearerAuthenticator,
  hasScope,
  type Principal,
  type RequestAuthenticator,
} from './contract/security.ts';
export {
  type ConstraintKind,
  ConstraintViolation,
  InvalidValue,
  type Reason,
  StoreOverloaded,
  StoreUnavailable,
} from './engines/errors.ts';
export type { HeldLock, TakeLock } from './engines/lock.ts';
export type { CommitObserver } from './engines/observer.ts';
export type { OpenOptions, PostgresLimits } from './engines/options.ts';
export { retry } from './engines/retry.ts';
export type { Log } from './http/observe/request-log.ts';
export type { StoreConfig } from './program/config.ts';
export { createService, type Service, type ServiceSettings } from './program/create-service.ts';
export type { ServiceOptions, Store, StoreOptions } from './program/options.ts';
export type { ContractFile, Product } from './program/product.ts';
export { serve } from './program/serve.ts';
