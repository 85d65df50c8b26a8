/** The statuses of IANA's registry, by class. */
interface StatusClasses {
  '1XX': 100 | 101 | 102 | 103;
  '2XX': 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
  '3XX': 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;
  '4XX': Status40x | Status41x | Status42x;
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
}

type Status40x = 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409;
type Status41x = 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417;
type Status42x = 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451;

type InClasses<Keys> = StatusClasses[Keys & keyof StatusClasses];

/**
 * The statuses that a key of an operation's responses covers: a status itself; a range without the statuses that are
 * declared separately; or, for `default`, all statuses that no other key covers (OAS 3.1, section 4.8.16).
 */
export type StatusOf<Key, Declared> = Key extends number
  ? Key
  : Key extends keyof StatusClasses
    ? Exclude<StatusClasses[Key], Declared>
    : Exclude<StatusClasses[keyof StatusClasses], Declared | InClasses<Declared>>;
