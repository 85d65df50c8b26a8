// A program that imports this loads little: what takes time to load, `serve` loads when it needs it. `createService` and
// the authenticators are left out of a bundle that does not use them; `./body-reader` is apart, because bundlers keep
// for all programs what one of them uses.

export {
  type AnyHandlers,
  type ApiKeyAuthenticator,
  type Authenticator,
  type Authenticators,
  type BasicAuthenticator,
  type BearerAuthenticator,
  type ContractTypes,
  type ErrorBody,
  type ErrorBodyOf,
  type Handler,
  type HandlerLog,
  type Handlers,
  hasScope,
  type IncomingRequest,
  type LimitedHandler,
  type OperationReply,
  type OperationRequest,
  type Part,
  PROBLEMS,
  type Principal,
  Problem,
  problem,
  type Refusal,
  type RequestAuthenticator,
  type RequestBody,
  type ServerEvent,
  stub,
  type Upload,
  type UploadBody,
  type UploadedField,
  type UploadedFile,
  type UploadHandler,
  type UploadRequest,
} from '@trellis/contract';
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
