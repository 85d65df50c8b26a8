import type { StallClass } from './case.ts';
import { CODINGS } from './cases/http/codings.ts';
import { CROWDS } from './cases/http/crowds.ts';
import { FORMATS } from './cases/http/formats.ts';
import { FORMS } from './cases/http/forms.ts';
import { MULTIPART } from './cases/http/multipart.ts';
import { NAMES } from './cases/http/names.ts';
import { PATHS } from './cases/http/paths.ts';
import { KEYS } from './cases/json/keys.ts';
import { NUMBERS } from './cases/json/numbers.ts';
import { RECURSION } from './cases/json/recursion.ts';
import { SETS } from './cases/json/sets.ts';
import { UNIONS } from './cases/json/unions.ts';
import { UNSTORABLE } from './cases/json/unstorable.ts';
import { VIOLATIONS } from './cases/json/violations.ts';

/** All classes of requests. */
export const CLASSES: readonly StallClass[] = [
  UNSTORABLE,
  RECURSION,
  UNIONS,
  SETS,
  NUMBERS,
  PATHS,
  FORMATS,
  FORMS,
  MULTIPART,
  NAMES,
  CODINGS,
  VIOLATIONS,
  KEYS,
  CROWDS,
];
