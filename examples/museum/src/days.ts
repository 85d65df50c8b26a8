const DAY = 86_400_000;

/** The last day that a date of four digits can name. */
const LAST = Date.parse('9999-12-31');

const toText = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Today's date. */
export const today = (): string => toText(Date.now());

/** Adds a number of days to a date. */
export const daysAfter = (date: string, days: number): string =>
  toText(Math.min(Date.parse(date) + days * DAY, LAST));

const HOURS = [
  undefined, // closed on Sundays
  ...Array.from({ length: 4 }, () => ({ timeOpen: '09:00', timeClose: '18:00' })),
  { timeOpen: '10:00', timeClose: '16:00' },
  undefined,
];
const OPEN_DAYS = HOURS.filter(Boolean).length;

/** The hours of days on which the museum is open: `count` of them, after the first `skipped` from a date on. */
export const openDays = (from: string, skipped: number, count: number) => {
  const weeks = Math.floor(skipped / OPEN_DAYS); // whole weeks are skipped at once
  const days = [];
  let left = skipped - weeks * OPEN_DAYS;
  for (let time = Date.parse(from) + weeks * 7 * DAY; time <= LAST && days.length < count; time += DAY) {
    const hours = HOURS[new Date(time).getUTCDay()];
    if (!hours) continue;
    if (left > 0) left -= 1;
    else days.push({ date: toText(time), ...hours });
  }
  return days;
};
