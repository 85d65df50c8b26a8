const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : 30 + ((month + (month >> 3)) % 2);

/** `full-date` of RFC 3339. */
export const isDate = (text: string): boolean => {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** `date-time` of RFC 3339. */
export const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[tT]$/.test(text.slice(10, 11)) && TIME.test(text.slice(11));

/** A UUID as RFC 9562 writes it. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/** `URI` of RFC 3986: a scheme, and only characters that a URI may have. */
export const isUri = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9a-f]{2})*(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9a-f]{2})*)?$/i.test(
    text,
  );

/** `Mailbox` of RFC 5321, roughly. */
export const isEmail = (text: string): boolean => /^(?:"[^"]*"|[^\s@"]+)@[^\s@]+$/.test(text);
