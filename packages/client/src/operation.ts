/** How `generated/client.ts` describes the operations of a contract. */
import type { Style } from '@trellis/openapi/internal/http';

/** The places of int64s in a JSON value, where numbers are parsed as bigints. */
export interface Int64s {
  /** The value itself is one. */
  readonly self?: true;
  /** In members, by name. A member without any is null where `others` would apply to it. */
  readonly members?: Readonly<Record<string, (() => Int64s) | null>>;
  /** In members whose names match a pattern. */
  readonly patterns?: readonly (readonly [pattern: string, at: (() => Int64s) | null])[];
  /** In all other members. */
  readonly others?: () => Int64s;
  /** In the first items of a list. */
  readonly first?: readonly ((() => Int64s) | null)[];
  /** In all other items. */
  readonly items?: () => Int64s;
  /** A member tells which description holds instead of this one. */
  readonly tagged?: {
    readonly by: string;
    readonly as: Readonly<Record<string, () => Int64s>>;
    /** For a value that the member names nothing of, if another member may. */
    readonly other?: () => Int64s;
  };
}

/** A parameter of an operation. */
export interface Parameter extends Style {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly name: string;
}

/** How bytes become a value and back. For a range of media types the actual one decides. */
export type Kind = 'json' | 'lines' | 'records' | 'parts' | 'text' | 'form' | 'multipart' | 'bytes' | 'range';

/** A body of one media type. */
export interface Content {
  readonly as: Kind;
  /**
   * The places of int64s in the body, in the list of its parts, in each item of a sequence, or in the data of events.
   */
  readonly int64s?: () => Int64s;
  /** Reads the items of a sequence as they arrive: `readEvents`, `readLines`, `readRecords` or `readParts`. */
  readonly items?: (response: Response, content: Content) => AsyncGenerator<unknown, void>;
  /** How the data of events is parsed; JSON by default. */
  readonly data?: 'text' | 'either';
  /** Styles of the fields of a form, by name. */
  readonly fields?: Readonly<Record<string, Style>>;
  /** The media types of parts by position, the last for all that follow; null for one that depends on the value. */
  readonly types?: readonly (string | null)[];
}

/** A security scheme of an operation. */
export type Scheme =
  | { readonly type: 'bearer' | 'basic' | 'none' | 'unknown' }
  | {
      readonly type: 'apiKey';
      readonly scheme: string;
      readonly in: 'query' | 'header' | 'cookie';
      readonly name: string;
    };

/** The description of an operation that a client works from. */
export interface Operation<Id extends PropertyKey = PropertyKey> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly Parameter[];
  /** Each alternative is enough: all of its schemes together. */
  readonly security?: readonly (readonly Scheme[])[];
  /** By media type. */
  readonly bodies?: Readonly<Record<string, Content>>;
  /** By status, then by media type. */
  readonly replies: Readonly<Record<string, Readonly<Record<string, Content>>>>;
}
