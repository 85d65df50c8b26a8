/** What is asked of whoever logs. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
