import { BODY_LIMIT } from './case.ts';

/** Text to put around another text, repeatedly. */
export interface Wrap {
  readonly open: string;
  readonly close: string;
}

export const LIST: Wrap = { open: '[', close: ']' };

/** An object with one member. */
export const member = (name: string): Wrap => ({ open: `{"${name}":`, close: '}' });

/** Nests a text so deep, or as deep as there is room for. */
export const nest = (
  { open, close }: Wrap,
  depth: number,
  inner: string,
  room = BODY_LIMIT - 100,
): string => {
  const maxTimes = Math.floor((room - inner.length) / (open.length + close.length));
  const times = Math.max(0, Math.min(depth, maxTimes));
  return open.repeat(times) + inner + close.repeat(times);
};

/** As many copies as there is room for, separated by commas. */
export const repeat = (item: string, room: number): string => {
  const times = Math.max(1, Math.floor((room + 1) / (item.length + 1)));
  return `${`${item},`.repeat(times - 1)}${item}`;
};

/** As many items as there is room for. Each is made from its index. */
export const list = (make: (nth: number) => string, room: number, between = ','): string => {
  const items: string[] = [];
  for (let size = 0; ; ) {
    const item = make(items.length);
    size += item.length + between.length;
    if (size > room) return items.join(between);
    items.push(item);
  }
};

/** Nests so deep, and inside repeats an item as often as there is room for. */
export const deepThenWide = (wrap: Wrap, depth: number, item: string, room = BODY_LIMIT - 100): string => {
  const used = depth * (wrap.open.length + wrap.close.length);
  const inner = `[${repeat(item, Math.max(item.length, room - used - 2))}]`;
  return nest(wrap, depth, inner, room);
};
