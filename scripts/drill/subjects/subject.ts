import type { Row } from '../../support/query.ts';
import type { Settings } from '../../support/service.ts';
import type { Chance } from '../chance.ts';
import type { WireReply } from '../wire.ts';

/** A request of a client, which is sent until it is answered. */
export interface Deed {
  readonly request: string;
  /** Remembers what a reply acknowledges; gives what is wrong with it, if anything. A 503 is not a reply to judge. */
  settle(reply: WireReply, isRepeated: boolean): string | undefined;
}

/** Asks a store directly, without a service. */
export type Query = (sql: string) => Promise<Row[]> | Row[];

/** How a store differs from what was acknowledged. */
export interface Damage {
  readonly lost: number;
  readonly altered: number;
  readonly twice: number;
}

/** What the clients of a drill remember of a service. */
export interface Memory {
  /** How many records were acknowledged. */
  readonly acknowledged: () => number;
  /** Makes a client: it gives the requests that it sends, one after the other. */
  readonly createClient: (chance: Chance) => () => Deed;
  /** Compares a store with all that is remembered now. Throws if the store breaks a promise about anything else. */
  readonly findDamage: (query: Query) => Promise<Damage>;
  /** Waits until the service has done what it has promised to do later; throws if it does not. */
  readonly settleDown?: (query: Query) => Promise<void>;
  readonly close?: () => void;
}

/** A service that the drills break. */
export interface Subject {
  readonly name: string;
  /** Makes the program ready, and gives its file. */
  readonly program: () => Promise<string>;
  /** The settings that it needs beside those of every service, in a folder for its files. */
  readonly settings: (folder: string) => Settings;
  /** A write that may be repeated, as hostile clients send it: the target of a POST, and its body. */
  readonly write: { readonly target: string; readonly body: string };
  /** Begins to remember. The folder is that of the settings. */
  readonly remember: (folder: string) => Promise<Memory> | Memory;
}
