import type { Operation } from '../../document/operations.ts';

/** A promise about what a service keeps, which an answer breaks. */
export class Broken extends Error {
  override readonly name = 'Broken';
  /** The promise, as a sentence. */
  readonly claim: string;
  /** The operation whose answer breaks it. */
  readonly operation: Operation;
  /** The member that is wrong, if it is one. */
  readonly place: string;

  constructor(claim: string, what: string, operation: Operation, place = '') {
    super(what);
    this.claim = claim;
    this.operation = operation;
    this.place = place;
  }
}

/** Nothing more can be said of a sequence: a stub answers, or the service failed in a way that other phases report. */
export class NoClaim extends Error {
  override readonly name = 'NoClaim';
}
