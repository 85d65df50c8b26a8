/** The body of an error reply, as RFC 9457 has it. */
export const problem = (title: string) => ({ type: 'about:blank', title });
