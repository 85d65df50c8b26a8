// Importing this loads little: `serve` loads its dependencies when they are needed. Bundlers drop `createService` and
// the authenticators if they are unused. `./body-reader` is a separate entry, because bundlers keep in every program
// what one program of the bundle uses.

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
export { type BackgroundTask, every, type TaskContext } from './background/task.ts';
export type { Log } from './http/observe/request-log.ts';
export type { StoreConfig } from './program/config.ts';
export { createService, type Service, type ServiceSettings } from './program/create-service.ts';
export type { ServiceOptions } from './program/options.ts';
export type { ContractFile, Product } from './program/product.ts';
export { serve } from './program/serve.ts';
export type { Store, StoreOptions } from './program/store.ts';
