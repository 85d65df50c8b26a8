/** Finds the operations that a mistake in the contract keeps from being served, or from having their name. */
import { asWritten, type Note } from '@trellis/openapi/document';
import { pointerTo, valueAt } from '@trellis/openapi/json';

/** A mistake with which a contract can be served, but an operation of it cannot, or is called otherwise. */
export interface Slip<Reason = string> {
  readonly kind: 'left out' | 'renamed';
  /** The operation: `GET /things`. */
  readonly title: string;
  /** The operationId that it has in the contract. */
  readonly id: string;
  /** What to correct. */
  readonly reasons: readonly Reason[];
}

const isDangling = ({ pointer, message }: Note): boolean =>
  pointer.endsWith('/$ref') && message.startsWith('leads nowhere');

/** Finds the slips in the notes about a contract; `written` is the contract as its file has it. */
export const findSlips = (notes: readonly Note[], written: unknown): Slip<Note>[] => {
  const dangling = notes.filter(isDangling);
  return notes.flatMap((note): Slip<Note>[] => {
    const { pointer, subject: title, message } = note;
    const id = String(valueAt(written, asWritten(pointer) + pointerTo('operationId')));
    if (message.startsWith('is called ')) return [{ kind: 'renamed', title, id, reasons: [note] }];
    if (!message.startsWith('is left out')) return [];
    const isConsequence = message.endsWith('a reference that leads nowhere') && dangling.length > 0;
    return [{ kind: 'left out', title, id, reasons: isConsequence ? dangling : [note] }];
  });
};
