/** What can go wrong with any request, and its code: status × 100 + n. Other floors have tables of their own. */
export const PROBLEMS = {
  malformedJson: 40001,
  schemaMismatch: 40002,
  malformedHttp: 40003,
  noCredentials: 40101,
  invalidToken: 40102,
  insufficientScope: 40301,
  noSuchPath: 40401,
  noSuchMethod: 40501,
  requestTimeout: 40801,
  bodyTooLarge: 41301,
  unsupportedMediaType: 41501,
  headersTooLarge: 43101,
  internal: 50001,
  notImplemented: 50101,
  overloaded: 50302,
} as const;

/** The name of an entry in that table. */
export type ProblemName = keyof typeof PROBLEMS;

/** The body of every error reply: the Error schema of the contract. */
export interface ErrorBody {
  error: number;
  message: string;
}

/** Makes the body of an error reply; the code is one of this table, by name, or a number of another. */
export const problem = (code: ProblemName | number, message: string): ErrorBody => ({
  error: typeof code === 'number' ? code : PROBLEMS[code],
  message,
});

/** An error that knows its reply. Any other error is answered as an internal one. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemName | number,
    message: string,
    { headers = {}, cause }: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.body = problem(code, message);
    this.status = Math.floor(this.body.error / 100);
    this.headers = headers;
  }
}

/** The Problem of a service that has too much to do, or too much in memory. */
export const overloaded = (cause?: unknown): Problem =>
  new Problem('overloaded', 'the service is overloaded; try again', {
    headers: { 'Retry-After': '1' },
    cause,
  });
