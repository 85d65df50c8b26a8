/** The limits of the service in bytes. */
export const BODY_LIMIT = 102_400;
export const HEAD_LIMIT = 16_384;

/** How much of a body, or of a header, a case may fill. The rest is for what stands around it. */
export const BODY_ROOM = BODY_LIMIT - 400;
export const HEAD_ROOM = HEAD_LIMIT - 300;

/** Text to put around another text, repeatedly. */
export interface Wrap {
  readonly open: string;
  readonly close: string;
}

export const LIST: Wrap = { open: '[', close: ']' };

/** An object with one member. */
export const member = (name: string): Wrap => ({ open: `{"${name}":`, close: '}' });

/** As many copies of a text as there is room for. */
export const fill = (unit: string, room = BODY_ROOM): string =>
  unit.repeat(Math.floor(room / Buffer.byteLength(unit)));

/** As many items as there is room for, at least one. Each is the same text, or made from its index. */
export const list = (item: string | ((nth: number) => string), room = BODY_ROOM, between = ','): string => {
  const make = typeof item === 'string' ? () => item : item;
  const items = [make(0)];
  for (let size = make(0).length; ; ) {
    const next = make(items.length);
    size += next.length + between.length;
    if (size > room) return items.join(between);
    items.push(next);
  }
};

/** Nests a text so deep, or as deep as there is room for. */
export const nest = ({ open, close }: Wrap, depth: number, inner: string, room = BODY_ROOM): string => {
  const maxTimes = Math.floor((room - inner.length) / (open.length + close.length));
  const times = Math.max(0, Math.min(depth, maxTimes));
  return open.repeat(times) + inner + close.repeat(times);
};

/** Nests so deep, and inside repeats an item as often as there is room for. */
export const deepThenWide = (wrap: Wrap, depth: number, item: string, room = BODY_ROOM): string => {
  const used = depth * (wrap.open.length + wrap.close.length) + 2;
  return nest(wrap, depth, `[${list(item, room - used)}]`, room);
};
