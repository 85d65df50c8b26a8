// A program that imports this loads little: what takes time to load, `serve` loads when it needs it. `createService` and
// the authenticators are left out of a bundle that does not use them; `./body-reader` is apart, because bundlers keep
// for all programs what one of them uses.

export type {
  AnyHandlers,
  ContractTypes,
  ErrorBodyOf,
  Handler,
  HandlerLog,
  Handlers,
  IncomingRequest,
  LimitedHandler,
  OperationReply,
  OperationRequest,
  Part,
  RequestBody,
  ServerEvent,
  Upload,
  UploadBody,
  UploadedField,
  UploadedFile,
  UploadHandler,
  UploadRequest,
} from '@trellis/contract/internal';
export {
  type ApiKeyAuthenticator,
  type Authenticator,
  type Authenticators,
  type BasicAuthenticator,
  type BearerAuthenticator,
  type ErrorBody,
  hasScope,
  PROBLEMS,
  type Principal,
  Problem,
  problem,
  type Refusal,
  type RequestAuthenticator,
  stub,
} from '@trellis/contract/internal/handlers';
export type { TokenEntry } from './auth/entries.ts';
export { type AuthSettings, type LiveAuthenticator, openAuthenticator } from './auth/open.ts';
export { readAuthSettings } from './auth/settings.ts';
export { createStaticTokens } from './auth/static-tokens.ts';
export { every } from './background/every.ts';
export type { BackgroundTask, TaskContext, TaskMetric } from './background/task.ts';
export type { Log } from './http/observe/request-log.ts';
export type { StoreConfig } from './program/config.ts';
export { createService, type Service, type ServiceSettings } from './program/create-service.ts';
export type { ServiceOptions } from './program/options.ts';
export type { ContractFile, Product } from './program/product.ts';
export { serve } from './program/serve.ts';
export type { Store, StoreObserver, StoreOptions } from './program/store/store.ts';
