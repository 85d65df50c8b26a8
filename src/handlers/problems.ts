import { type ErrorBody, PROBLEMS, problem as toBody } from '@trellis/server';

/** The codes of the handlers' own errors: status × 100 + n. openapi.yaml (`Error`) lists them too. */
export const HANDLER_PROBLEMS = { idTaken: 40901 } as const;

const CODES = { ...PROBLEMS, ...HANDLER_PROBLEMS };

/** Makes the body of an error reply. */
export const problem = (name: keyof typeof CODES, message: string): ErrorBody => toBody(CODES[name], message);
