import type { Row } from '../../support/query.ts';
import type { Settings } from '../../support/service.ts';
import type { WireReply } from '../../support/wire.ts';
import type { Chance } from '../chance.ts';

/** A request of a client, which is sent until it is answered. */
export interface Deed {
  readonly request: string;
  /**
   * Records the write that a reply acknowledges, and returns the fault of the reply, if any. 503 is ignored.
   */
  settle(reply: WireReply, isRepeated: boolean): string | undefined;
}

/** Asks a store directly, without a service. */
export type Query = (sql: string) => Promise<Row[]> | Row[];

/** The differences between a store and the acknowledged writes. */
export interface Damage {
  readonly lost: number;
  readonly altered: number;
  readonly twice: number;
}

/** The memory that the clients of a drill keep about a service. */
export interface Memory {
  /** How many records were acknowledged. */
  readonly acknowledged: () => number;
  /** Creates a client: a function that returns its next request. */
  readonly createClient: (chance: Chance) => () => Deed;
  /** Compares a store with all that is remembered now. Throws if the store breaks a promise about anything else. */
  readonly findDamage: (query: Query) => Promise<Damage>;
  /** Waits until the service has finished its background work; throws on a timeout. */
  readonly settleDown?: (query: Query) => Promise<void>;
  readonly close?: () => void;
}

/** A service that the drills break. */
export interface Subject {
  readonly name: string;
  /** Builds the program, and returns its file. */
  readonly program: () => Promise<string>;
  /** Additional settings of the subject, with a folder for its files. */
  readonly settings: (folder: string) => Settings;
  /** A write that may be repeated, as hostile clients send it: the target of a POST, and its body. */
  readonly write: { readonly target: string; readonly body: string };
  /** Creates a memory. The folder is the one passed to `settings`. */
  readonly remember: (folder: string) => Promise<Memory> | Memory;
}
