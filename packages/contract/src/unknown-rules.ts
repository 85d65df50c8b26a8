import type { UnknownBody } from './codec/findings.ts';
import type { UnknownQuery } from './parameters/unknown-query.ts';

/** How to handle the parts of a request that its operation does not declare. */
export interface UnknownRules {
  /** Ignored if not given. */
  readonly unknownQuery?: UnknownQuery | undefined;
  /** Dropped if not given. */
  readonly unknownBody?: UnknownBody | undefined;
}
