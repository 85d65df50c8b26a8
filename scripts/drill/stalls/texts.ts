/** The limits of the service in bytes. */
export const BODY_LIMIT = 102_400;
export const HEAD_LIMIT = 16_384;

/** How much of a body, or of a header, a case may fill. The rest is for what stands around it. */
export const BODY_ROOM = BODY_LIMIT - 400;
export const HEAD_ROOM = HEAD_LIMIT - 300;

/** Text to put around another text, repeatedly. */
export type Wrap = readonly [open: string, close: string];

/** As many copies of a text as there is room for. */
export const fill = (unit: string, room = BODY_ROOM): string =>
  unit.repeat(Math.floor(room / Buffer.byteLength(unit)));

/** As many items as there is room for, at least one. `#` in an item stands for its number. */
export const list = (item: string, room = BODY_ROOM, between = ','): string => {
  const make = (nth: number) => item.replaceAll('#', `${10_000 + nth}`);
  const items = [make(0)];
  for (let size = Buffer.byteLength(make(0)); ; ) {
    const next = make(items.length);
    size += Buffer.byteLength(next) + between.length;
    if (size > room) return items.join(between);
    items.push(next);
  }
};

/** Nests a text so deep, or as deep as there is room for, in each of the wraps in turn. */
export const nest = (wraps: readonly Wrap[], depth: number, inner: string, room = BODY_ROOM): string => {
  const [open, close]: [string[], string[]] = [[], []];
  let left = room - inner.length;
  for (let level = 0; level < depth; level += 1) {
    const [before = '', after = ''] = wraps[level % wraps.length] ?? [];
    left -= before.length + after.length;
    if (left < 0) break;
    open.push(before);
    close.push(after);
  }
  return open.join('') + inner + close.reverse().join('');
};
