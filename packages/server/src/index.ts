// A program that imports this loads little: what takes time to load, `serve` loads when it needs it. `createService` and
// the authenticators are left out of a bundle that does not use them; `./body-reader` is apart, because bundlers keep
// for all programs what one of them uses.

export {
  type ApiKeyAuthenticator,
  type Authenticator,
  type Authenticators,
  type ContractTypes,
  type ErrorBody,
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
  type UploadedField,
  type UploadedFile,
  type UploadHandler,
  type UploadRequest,
} from '@trellis/contract';

export { openAuthenticator } from './auth/open.ts';
export { readAuthSettings } from './auth/settings.ts';
export { createStaticTokens } from './auth/static-tokens.ts';
export { every } from './background/every.ts';
export type { BackgroundTask, TaskContext } from './background/task.ts';
export type { Log } from './http/observe/request-log.ts';
export type { StoreConfig } from './program/config.ts';
export { createService, type Service, type ServiceSettings } from './program/create-service.ts';
export type { ServiceOptions } from './program/options.ts';
export type { ContractFile, Product } from './program/product.ts';
export { serve } from './program/serve.ts';
export type { Store, StoreOptions } from './program/store/store.ts';
