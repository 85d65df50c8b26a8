import type { StallClass } from './case.ts';
import { CODINGS } from './cases/codings.ts';
import { FORMATS_CLASS } from './cases/formats.ts';
import { FORMS } from './cases/forms.ts';
import { KEYS } from './cases/keys.ts';
import { MULTIPART_CLASS } from './cases/multipart.ts';
import { NAMES } from './cases/names.ts';
import { NUMBERS } from './cases/numbers.ts';
import { PATHS } from './cases/paths.ts';
import { RECURSION } from './cases/recursion.ts';
import { SETS } from './cases/sets.ts';
import { UNIONS } from './cases/unions.ts';
import { UNSTORABLE } from './cases/unstorable.ts';
import { VIOLATIONS } from './cases/violations.ts';

/** Every kind of request that is tried. */
export const CLASSES: readonly StallClass[] = [
  UNSTORABLE,
  RECURSION,
  UNIONS,
  SETS,
  NUMBERS,
  PATHS,
  FORMATS_CLASS,
  FORMS,
  MULTIPART_CLASS,
  NAMES,
  CODINGS,
  VIOLATIONS,
  KEYS,
];
