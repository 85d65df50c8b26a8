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

/** Bugs of a kind, and the phase of the contract tests that most of them show in. */
interface Kind {
  readonly phase: string;
  readonly bugs: Bugs;
}

/** Everything that a service may get wrong, by kind. */
export const BUGS = {
  'wrong replies': { phase: 'valid', bugs: REPLY_BUGS },
  'lax parameters': { phase: 'parameters', bugs: LAX_PARAMETER_BUGS },
  'lax bodies': { phase: 'bodies', bugs: LAX_BODY_BUGS },
  'too strict': { phase: 'coverage', bugs: STRICT_BUGS },
  crashes: { phase: 'coverage', bugs: CRASH_BUGS },
  authentication: { phase: 'credentials', bugs: AUTHENTICATION_BUGS },
  HTTP: { phase: 'http', bugs: HTTP_BUGS },
  state: { phase: 'state', bugs: { ...CREATED_BUGS, ...CHANGED_BUGS, ...LISTED_BUGS } },
} satisfies Readonly<Record<string, Kind>>;
