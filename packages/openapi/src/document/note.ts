/** A part of a document that is served in another way than it is written, or not at all. */
export interface Note {
  /** The pointer of the part. */
  readonly pointer: string;
  /** Its subject, such as `GET /things`; empty if the place is enough. */
  readonly subject: string;
  /** The consequence and the remedy. The same for all notes of a kind, so that they can be counted. */
  readonly message: string;
  /** The pointer of a related part. */
  readonly other?: string | undefined;
}

/** Records a note. */
export type TakeNote = (pointer: string, message: string, subject?: string, other?: string) => void;
