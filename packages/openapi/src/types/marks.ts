/** A property that only replies have: `readOnly`. */
export type $Read<T> = { readonly $read: T };
/** A property that only requests have: `writeOnly`. */
export type $Write<T> = { readonly $write: T };
/** A property with a default: every request has it once it is received. */
export type $Default<T> = { readonly $default: T };

type MarkOf<T> = [NonNullable<T>] extends [never]
  ? 'none'
  : NonNullable<T> extends $Read<unknown>
    ? 'read'
    : NonNullable<T> extends $Write<$Default<unknown>>
      ? 'write default'
      : NonNullable<T> extends $Write<unknown>
        ? 'write'
        : NonNullable<T> extends $Default<unknown>
          ? 'default'
          : 'none';

/** The type that a handler receives for a `T` in a request. */
export type Received<T> = T extends $Write<infer Inner> | $Default<infer Inner>
  ? Received<Inner>
  : T extends Uint8Array
    ? T
    : T extends readonly unknown[]
      ? { [Index in keyof T]: Received<T[Index]> }
      : T extends object
        ? {
            [Key in keyof T as MarkOf<T[Key]> extends 'none' | 'write' ? Key : never]: Received<T[Key]>;
          } & {
            [Key in keyof T as MarkOf<T[Key]> extends 'default' | 'write default' ? Key : never]-?: Received<
              T[Key]
            >;
          }
        : T;

/** The type that a handler returns for a `T` in a reply. Its lists may be readonly. */
export type Replied<T> = T extends $Read<infer Inner> | $Default<infer Inner>
  ? Replied<Inner>
  : T extends Uint8Array
    ? T
    : T extends readonly unknown[]
      ? { readonly [Index in keyof T]: Replied<T[Index]> }
      : T extends object
        ? {
            [Key in keyof T as MarkOf<T[Key]> extends 'write' | 'write default' ? never : Key]: Replied<
              T[Key]
            >;
          }
        : T;

/** The type that a client sends for a `T` in a request. */
export type Sent<T> = T extends $Write<infer Inner> | $Default<infer Inner>
  ? Sent<Inner>
  : T extends Uint8Array
    ? Uint8Array | Blob
    : T extends readonly unknown[]
      ? { [Index in keyof T]: Sent<T[Index]> }
      : T extends object
        ? {
            [Key in keyof T as MarkOf<T[Key]> extends 'none' | 'write' ? Key : never]: Sent<T[Key]>;
          } & {
            [Key in keyof T as MarkOf<T[Key]> extends 'default' | 'write default' ? Key : never]?: Sent<
              T[Key]
            >;
          }
        : T;

/** The type that a client receives for a `T` in a reply. */
export type Answered<T> = T extends $Read<infer Inner> | $Default<infer Inner>
  ? Answered<Inner>
  : T extends Uint8Array
    ? Uint8Array
    : T extends readonly unknown[]
      ? { [Index in keyof T]: Answered<T[Index]> }
      : T extends object
        ? {
            [Key in keyof T as MarkOf<T[Key]> extends 'write' | 'write default' ? never : Key]: Answered<
              T[Key]
            >;
          }
        : T;
