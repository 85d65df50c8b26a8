/** What the package exports, for those who mount the service in an app of their own. */

export { createStaticTokens } from './auth/static-tokens.ts';
export type { TokenEntry } from './auth/tokens/entries.ts';
export type { Contract, ContractOptions } from './contract/contract.ts';
export { createContract } from './contract/contract.ts';
export { loadDocument } from './contract/document/load.ts';
export type { Handler, Handlers } from './contract/handler.ts';
export type { Authenticators, BearerAuthenticator, Principal } from './contract/security.ts';
export type { Reason } from './engines/errors.ts';
export { StoreOverloaded, StoreUnavailable } from './engines/errors.ts';
export type { OpenOptions, PostgresLimits } from './engines/options.ts';
export { createPlant } from './handlers/create-plant.ts';
export { createHandlers } from './handlers.ts';
export type { AppOptions } from './http/app.ts';
export { createApp } from './http/app.ts';
export { createMetrics } from './http/observe/metrics.ts';
export type { Log } from './http/observe/request-log.ts';
export { createRequestObserver } from './http/observe/request-observer.ts';
export type { NewPlant, Plant } from './plants/plant.ts';
export type { CreateOutcome, PlantRepository, PlantStore } from './plants/repository.ts';
export type { StoreConfig } from './program/config.ts';
export { readStoreConfig } from './program/config.ts';
export { CONTRACT_FILE } from './program/package-files.ts';
export { createReadyCheck, storeProblem } from './program/store-problem.ts';
export { openRepository } from './storage/open.ts';
