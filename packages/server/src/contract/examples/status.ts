/** A declared response: its key, and the status that stands for it. */
export interface ChosenStatus {
  readonly key: string;
  readonly status: number;
}

/** The status that stands for a range. A range of failures stands for what a stub is: not implemented. */
const OF_RANGE: Readonly<Record<string, number>> = { '2XX': 200, '3XX': 302, '4XX': 400, '5XX': 501 };

/** A final status: 1xx only announces another reply (RFC 9110, section 15.2). */
const KEY = /^[2-5](?:\d\d|XX)$/;

/** Chooses the lowest success that is declared, else the default, else the lowest status; `undefined` if there is none. */
export const chooseStatus = (declared: readonly string[]): ChosenStatus | undefined => {
  const statuses = declared
    .filter((key) => KEY.test(key))
    .map((key) => ({ key, status: OF_RANGE[key] ?? Number(key) }))
    .sort((one, other) => one.status - other.status);
  const success = statuses.find(({ status }) => status < 300);
  const fallback = declared.includes('default') ? { key: 'default', status: 200 } : statuses[0];
  return success ?? fallback;
};
