/** What is told of a backup while it is made. */
export interface BackupOptions {
  /** Where the copy goes. */
  readonly file: string;
  /** Ends it: what there is of the copy is removed at once. SQLite is not to be stopped: end the process then. */
  readonly signal: AbortSignal;
  /** Is told, now and then, how many bytes are written, and of how many or a few less. */
  readonly watch?: ((bytes: number, total: number) => void) | undefined;
}

/** A copy that is whole and on disk. */
export interface Backup {
  readonly plants: number;
  readonly bytes: number;
}
