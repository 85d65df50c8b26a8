import { firstViolations, listViolations, ownMember, type Violation } from '@trellis/openapi/internal/json';

const { STATUS_CODES } = process.getBuiltinModule('node:http'); // see http/connections/node-http.ts

/** Returns the reason phrase of an error status, or the name of its class if the status is unknown. */
export const titleOf = (status: number): string =>
  STATUS_CODES[status] ?? (status < 500 ? 'Client Error' : 'Server Error');

/**
 * Codes of the problems that any request can cause: status × 100 + n. Stores, tokens and handlers have separate tables.
 *
 * @example
 * const code = PROBLEMS.schemaMismatch; // 40002
 */
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

/** Codes for operations that declare them: conditions, ranges, keys. The name of a code is the name of its status. */
export const DECLARED_PROBLEMS = {
  keyInUse: 40902,
  preconditionFailed: 41201,
  rangeNotSatisfiable: 41601,
  keyReused: 42201,
  unprocessableJson: 42202,
  unprocessableInput: 42203,
  preconditionRequired: 42801,
} as const;

/** The default body of an error reply; many contracts declare it as the schema `Error`. */
export interface ErrorBody {
  error: number;
  message: string;
}

/**
 * Makes the body `{ error, message }`; the code is a name of `PROBLEMS`, or a number.
 *
 * @example
 * return { status: 404, body: problem('noSuchPath', 'there is no such account') };
 */
export const problem = (code: ProblemName | number, message: string): ErrorBody => ({
  error: typeof code === 'number' ? code : PROBLEMS[code],
  message,
});

/** The public details of a problem, from which the body of an error reply is written. */
export interface Refusal {
  /** Status × 100 + n. */
  readonly code: number;
  /** The name of the code, such as `schemaMismatch`. */
  readonly codeName: string;
  readonly status: number;
  /** The title of the status, such as `Bad Request`. */
  readonly title: string;
  /** Describes the problem, including all violations. */
  readonly message: string;
  /** The first violations, one by one; none if the problem is another. */
  readonly violations: readonly Violation[];
  /** The operation; `undefined` if the request reached none, or if its operation does not declare the status. */
  readonly operationId?: string | undefined;
  /** The pointer of the schema that the contract declares for the body, such as `/components/schemas/Error`. */
  readonly schema?: string | undefined;
}

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(PROBLEMS).map(([name, code]) => [code, name]),
);

/** The name of a code. One that `PROBLEMS` does not have uses the name of its status: `serviceUnavailable`. */
export const codeNameOf = (code: number): string =>
  NAMES.get(code) ??
  titleOf(Math.floor(code / 100))
    .replace(/^[A-Z]+/, (first) => first.toLowerCase())
    .replaceAll(' ', '');

/** Options of a Problem, in addition to its code and message. */
export interface ProblemOptions {
  /** The headers of its reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log; no client sees it. */
  readonly cause?: unknown;
  readonly violations?: readonly Violation[];
}

/**
 * An error with its own reply. Any other error is answered as an internal error.
 *
 * @example
 * throw new Problem('overloaded', 'too many reports are being made; try again', { headers: { 'Retry-After': '5' } });
 */
export class Problem extends Error implements Refusal {
  override readonly name = 'Problem';
  readonly code: number;
  readonly codeName: string;
  readonly status: number;
  readonly title: string;
  readonly violations: readonly Violation[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemName | number,
    message: string,
    { headers = {}, cause, violations = [] }: ProblemOptions = {},
  ) {
    super(message, { cause });
    this.code = typeof code === 'number' ? code : PROBLEMS[code];
    this.codeName = codeNameOf(this.code);
    this.status = Math.floor(this.code / 100);
    this.title = titleOf(this.status);
    this.violations = violations;
    this.headers = headers;
  }
}

/** The Problem of a request that breaks its schemas. It names every violation, within bounds. */
export const schemaMismatch = (violations: readonly Violation[]): Problem =>
  new Problem('schemaMismatch', listViolations(violations), { violations: firstViolations(violations) });

/** Codes of invalid input, where an operation declares 422 for it. */
const UNPROCESSABLE: ReadonlyMap<number, number> = new Map([
  [PROBLEMS.malformedJson, DECLARED_PROBLEMS.unprocessableJson],
  [PROBLEMS.schemaMismatch, DECLARED_PROBLEMS.unprocessableInput],
]);

/**
 * Converts an error to the error that an operation with these responses declares: invalid input becomes a 422 if the
 * operation declares 422 and not 400, as in FastAPI and Rails. Any other error stays unchanged.
 */
export const createDeclaredError = (responses: unknown): ((error: unknown) => unknown) => {
  const isMeant = ownMember(responses, '422') !== undefined && ownMember(responses, '400') === undefined;
  return (error) => {
    const code = isMeant && error instanceof Problem ? UNPROCESSABLE.get(error.code) : undefined;
    return code !== undefined && error instanceof Problem ? new Problem(code, error.message, error) : error;
  };
};

/** The Problem of a body that is nested too deeply: Ajv recurses where a schema does, so the call stack limits it. */
export const nestedTooDeeply = (): Problem => new Problem('schemaMismatch', 'body is nested too deeply');

/** The Problem of a service that is overloaded, or out of memory for requests. */
export const overloaded = (cause?: unknown): Problem =>
  new Problem('overloaded', 'the service is overloaded; try again', {
    headers: { 'Retry-After': '1' },
    cause,
  });

/** Maximum length of a path in an error message: the message stays in memory until the client reads it. */
const MAX_PATH = 1024;

/** The Problem of a request for a path that does not exist, perhaps because it is below none of the base paths. */
export const noSuchPath = (path: string, basePaths: readonly string[] = []): Problem => {
  const shown = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
  const bases = basePaths.some((base) => base === '' || `${path}/`.startsWith(`${base}/`)) ? [] : basePaths;
  return new Problem(
    'noSuchPath',
    `there is nothing at ${shown}${bases.length === 0 ? '' : `; the operations are below ${bases.join(' or ')}`}`,
  );
};
