import type { Bugs } from '../service/variant.ts';
import { AUTHENTICATION_BUGS } from './authentication.ts';
import { CRASH_BUGS } from './crashes.ts';
import { HTTP_BUGS } from './http.ts';
import { LAX_BODY_BUGS } from './lax-bodies.ts';
import { LAX_PARAMETER_BUGS } from './lax-parameters.ts';
import { REPLY_BUGS } from './replies.ts';
import { CHANGED_BUGS } from './state/changed.ts';
import { CREATED_BUGS } from './state/created.ts';
import { LISTED_BUGS } from './state/listed.ts';
import { STRICT_BUGS } from './strict.ts';

/** Everything that a service may get wrong, by kind. */
export const BUGS: Readonly<Record<string, Bugs>> = {
  'wrong replies': REPLY_BUGS,
  'lax parameters': LAX_PARAMETER_BUGS,
  'lax bodies': LAX_BODY_BUGS,
  'too strict': STRICT_BUGS,
  crashes: CRASH_BUGS,
  authentication: AUTHENTICATION_BUGS,
  HTTP: HTTP_BUGS,
  state: { ...CREATED_BUGS, ...CHANGED_BUGS, ...LISTED_BUGS },
};
