/** Something that a document says and that is served in another way, or not at all. */
export interface Note {
  /** Where it stands. */
  readonly pointer: string;
  /** Its subject, such as `GET /things`; empty if the place is enough. */
  readonly subject: string;
  /** The consequence and the remedy. The same for all notes of a kind, so that they can be counted. */
  readonly message: string;
  /** Where something else stands that it has to do with. */
  readonly other?: string | undefined;
}

/** Takes down a note. */
export type TakeNote = (pointer: string, message: string, subject?: string, other?: string) => void;
