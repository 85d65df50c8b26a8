import { type Candidates, libraries } from '../candidate.ts';
import { AUTHENTICATION_BUGS } from './authentication.ts';
import { CRASH_BUGS } from './crashes.ts';
import { HTTP_BUGS } from './http.ts';
import { LAX_BODY_BUGS } from './lax-bodies.ts';
import { LAX_PARAMETER_BUGS } from './lax-parameters.ts';
import { PARTS_IN_BUGS, PARTS_OUT_BUGS } from './parts.ts';
import { REPLY_BUGS } from './replies.ts';
import { CHANGED_BUGS } from './state/changed.ts';
import { CREATED_BUGS } from './state/created.ts';
import { LISTED_BUGS } from './state/listed.ts';
import { SHOP_BUGS } from './state/shop.ts';
import { STRICT_BUGS } from './strict.ts';
import { STREAM_BUGS, TRANSFER_BUGS } from './transfer.ts';

/** Bugs of a kind, and the phase of the contract tests that most of them show in. */
interface Kind {
  readonly phase: string;
  readonly bugs: Candidates;
}

/** Everything that a service may get wrong, by kind. */
export const BUGS = {
  'wrong replies': { phase: 'valid', bugs: libraries(REPLY_BUGS) },
  'lax parameters': { phase: 'parameters', bugs: libraries(LAX_PARAMETER_BUGS) },
  'lax bodies': { phase: 'bodies', bugs: libraries(LAX_BODY_BUGS) },
  'too strict': { phase: 'coverage', bugs: libraries(STRICT_BUGS) },
  crashes: { phase: 'coverage', bugs: libraries(CRASH_BUGS) },
  authentication: { phase: 'credentials', bugs: libraries(AUTHENTICATION_BUGS) },
  HTTP: { phase: 'http', bugs: libraries(HTTP_BUGS) },
  streams: { phase: 'valid', bugs: STREAM_BUGS },
  'parts of replies': { phase: 'valid', bugs: PARTS_OUT_BUGS },
  'parts of requests': { phase: 'bodies', bugs: PARTS_IN_BUGS },
  transfer: { phase: 'transfer', bugs: TRANSFER_BUGS },
  state: { phase: 'state', bugs: libraries({ ...CREATED_BUGS, ...CHANGED_BUGS, ...LISTED_BUGS }) },
  'state of a shop': { phase: 'state', bugs: SHOP_BUGS },
} satisfies Readonly<Record<string, Kind>>;
