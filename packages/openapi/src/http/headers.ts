/** Headers that describe the message, not the operation, so they cannot be parameters (OAS 3.1, section 4.8.12.1). */
export const NOT_PARAMETERS = ['accept', 'content-type', 'authorization'] as const;

/** A header that is not a parameter, in lower case. */
export type NotParameter = (typeof NOT_PARAMETERS)[number];

/** Whether a header can be a parameter. */
export const isParameterHeader = (name: string): boolean =>
  !NOT_PARAMETERS.some((other) => other === name.toLowerCase());
