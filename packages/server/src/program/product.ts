/** What a program is called, and what it serves: the part of `serve` that its commands need too. */
export interface Product {
  /** The command, as package.json names it. */
  readonly name: string;
  readonly version: string;
  /** What people call it; the name if not given. */
  readonly title?: string;
  /** The file of its contract. */
  readonly contract: URL;
  /** The store, unless DATABASE_URL names another; `none` if the service keeps no data. */
  readonly databaseUrl: string;
}
