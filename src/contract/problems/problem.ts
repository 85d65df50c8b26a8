/**
 * Everything that can go wrong with a request, and the number it is known by: status × 100 + n.
 * The same table stands in openapi.yaml (`Error`) and in the README.
 */
export const PROBLEMS = {
  malformedJson: 40001,
  schemaMismatch: 40002,
  malformedHttp: 40003,
  noCredentials: 40101,
  invalidToken: 40102,
  noSuchPath: 40401,
  noSuchMethod: 40501,
  requestTimeout: 40801,
  idTaken: 40901,
  bodyTooLarge: 41301,
  unsupportedMediaType: 41501,
  headersTooLarge: 43101,
  internal: 50001,
  notImplemented: 50101,
  storeUnavailable: 50301,
  overloaded: 50302,
  keysUnavailable: 50303,
} as const;

/** The name of an entry in the table of problems. */
export type ProblemName = keyof typeof PROBLEMS;

/** The body of every error reply: the Error schema of the contract. */
export interface ErrorBody {
  error: number;
  message: string;
}

/** Makes the body of an error reply. */
export const problem = (name: ProblemName, message: string): ErrorBody => ({
  error: PROBLEMS[name],
  message,
});

/** An error that knows its reply. Whatever else is thrown is an internal error. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    name: ProblemName,
    message: string,
    { headers = {}, cause }: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = Math.floor(PROBLEMS[name] / 100);
    this.body = problem(name, message);
    this.headers = headers;
  }
}
