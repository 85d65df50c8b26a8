import type { Authenticator, Authenticators, ContractTypes, Handlers, Principal } from '@trellis/contract';
import type { AnyHandlers, ErrorBodyOf, UnknownBody, UnknownQuery } from '@trellis/contract/internal';
import type { IdempotencyStore } from '@trellis/contract/internal/http';
import type { RequestHandler } from 'express';
import type { BackgroundTask } from '../background/task.ts';
import type { StoreConfig } from './config.ts';
import type { Product } from './product.ts';
import type { MaybeStore, StoreOptions } from './store.ts';

/** A contract whose types are not known: its handlers are checked at the start only. */
export interface UnknownContract extends ContractTypes {
  readonly operations: Record<never, never>;
  readonly security: Record<never, never>;
}

/** The options that have no types of the contract. */
interface CommonOptions<Opened extends MaybeStore, C extends ContractTypes> extends Product<C> {
  /** Opens the store; resolves to `undefined` for a service without one. Its group commit may report to the observer, for /metrics and traces. */
  readonly openStore: (config: StoreConfig, options: StoreOptions) => Promise<Opened>;
  /** Makes tasks that run beside requests, in one process at a time; see docs/how-to/background-work.md. */
  readonly background?: (store: Opened) => readonly BackgroundTask[];
  /** The body of an error reply, used wherever the contract allows it; see docs/reference/errors.md. */
  readonly errorBody?: ErrorBodyOf;
  /** Where replies to requests with an `Idempotency-Key` are kept: in memory if not given; `false` leaves the key to the handlers. */
  readonly idempotency?: ((store: Opened) => IdempotencyStore) | false;
  /** `refuse` answers 400 to query parameters that the operation does not declare; they are ignored if not given. */
  readonly unknownQuery?: UnknownQuery;
  /** `refuse` answers 400 to members of a body that its schema does not declare; they are dropped if not given. */
  readonly unknownBody?: UnknownBody;
  /** Express middleware that gets every request before the contract does. */
  readonly use?: readonly RequestHandler[];
  /** Makes Express routes for paths that neither the contract nor the service itself has. */
  readonly routes?: (store: Opened) => RequestHandler;
}

/** The options of a service, whatever its contract is. */
export interface AnyOptions<Opened extends MaybeStore> extends CommonOptions<Opened, ContractTypes> {
  readonly handlers: (store: Opened) => AnyHandlers;
  readonly authenticators?: (store: Opened) => Authenticators;
}

/** The security schemes that the operations of a contract ask for. */
type SchemeOf<C extends ContractTypes> = Extract<C['security'][keyof C['security']], string>;

/** Makes authenticators for security schemes of the contract, by name; the tokens of the settings serve the others. */
type MakeAuthenticators<Opened extends MaybeStore, C extends ContractTypes> = (
  store: Opened,
) => [SchemeOf<C>] extends [never]
  ? Authenticators<C['principal']>
  : { readonly [Name in SchemeOf<C>]?: Authenticator<C['principal']> };

/**
 * The parts of a service, for `serve` and `createService`. If the principal is a type of the owner, each security scheme
 * needs an authenticator: the tokens of the settings find only names and scopes.
 */
export type ServiceOptions<
  Opened extends MaybeStore,
  C extends ContractTypes = UnknownContract,
> = CommonOptions<Opened, C> & {
  /** Makes a handler for every operation of the contract. */
  readonly handlers: (store: Opened) => [keyof C['operations']] extends [never] ? AnyHandlers : Handlers<C>;
} & (Principal extends C['principal']
    ? { readonly authenticators?: MakeAuthenticators<Opened, C> }
    : {
        readonly authenticators: (store: Opened) => Required<ReturnType<MakeAuthenticators<Opened, C>>>;
      });
