const { STATUS_CODES } = process.getBuiltinModule('node:http'); // see http/connections/node-http.ts

/** Where Node differs from RFC 9110, section 15, and the registry of IANA. */
const OTHERS: ReadonlyMap<number, string | undefined> = new Map([
  [413, 'Content Too Large'],
  [418, undefined],
  [422, 'Unprocessable Content'],
  [509, undefined],
]);

/** What an error status is called; an unknown one is called by its class. */
export const titleOf = (status: number): string =>
  (OTHERS.has(status) ? OTHERS.get(status) : STATUS_CODES[status]) ??
  (status < 500 ? 'Client Error' : 'Server Error');
