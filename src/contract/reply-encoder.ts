import { isTree, ownMember, pointerTo, valueAt } from './pointer.ts';
import { memberAt, membersOf, placesOf } from './schema-shape.ts';

/** Writes a value as JSON. */
export type Encode = (value: unknown) => string;

/** Any value as JSON, a bigint as the bare integer that it is. */
export const toJson: Encode = (value) => {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if ('toJSON' in value && typeof value.toJSON === 'function') return toJson(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  return writeMembers(
    Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}:`, member, toJson]),
  );
};

const writeMembers = (
  members: readonly (readonly [prefix: string, value: unknown, encode: Encode])[],
): string =>
  `{${members.flatMap(([prefix, value, encode]) => (value === undefined ? [] : [prefix + encode(value)])).join(',')}}`;

/**
 * Compiles how values of a schema are written: the members that it names, and no others, unless it opens itself
 * with `additionalProperties` or names none at all. A stored id cannot leak into a reply that does not declare it.
 */
export const createReplyEncoder = (document: unknown) => {
  const compiled = new Map<string, Encode>();

  const compile = (pointer: string): Encode => {
    const known = compiled.get(pointer);
    if (known) return known;
    let encode: Encode | undefined;
    const late: Encode = (value) => {
      encode ??= compileOnce(pointer);
      return encode(value);
    };
    compiled.set(pointer, late); // made when it is first asked for: a recursive schema finds itself
    return late;
  };

  const compileOnce = (pointer: string): Encode => {
    const optionally = (at: string | undefined): Encode => (at === undefined ? toJson : compile(at));
    const members = [...new Set(membersOf(document, pointer))].map(
      (name) =>
        [
          name,
          `${JSON.stringify(name)}:`,
          optionally(memberAt(document, pointer, 'properties', name)),
        ] as const,
    );
    const named = new Set(members.map(([name]) => name));
    const isOpen =
      members.length === 0 ||
      placesOf(document, pointer).some((place) => {
        const schema = valueAt(document, place);
        const additional = ownMember(schema, 'additionalProperties');
        return (
          additional === true || isTree(additional) || ownMember(schema, 'patternProperties') !== undefined
        );
      });
    const encodeItem = optionally(memberAt(document, pointer, 'items'));
    const first = placesOf(document, pointer)
      .map((place) => place + pointerTo('prefixItems'))
      .flatMap((place) =>
        Object.keys(valueAt(document, place) ?? {}).map((index) => compile(place + pointerTo(index))),
      );
    const encodeAt = (index: number): Encode => first[index] ?? encodeItem;
    const encodeOther = optionally(
      placesOf(document, pointer)
        .map((place) => place + pointerTo('additionalProperties'))
        .find((place) => isTree(valueAt(document, place))),
    );

    /** The usual case: nothing is made on the way but the text. */
    const writeDeclared = (value: Record<string, unknown>): string => {
      let text = '{';
      for (const [name, before, encode] of members) {
        const member = ownMember(value, name);
        if (member !== undefined) text += (text === '{' ? before : `,${before}`) + encode(member);
      }
      return `${text}}`;
    };

    return (value) => {
      if (!isTree(value) || 'toJSON' in value) return toJson(value);
      if (Array.isArray(value)) return `[${value.map((item, index) => encodeAt(index)(item)).join(',')}]`;
      if (!isOpen) return writeDeclared(value);
      const declared = members.map(
        ([name, before, encode]) => [before, ownMember(value, name), encode] as const,
      );
      const others = Object.keys(value).flatMap((name) =>
        named.has(name) ? [] : [[`${JSON.stringify(name)}:`, value[name], encodeOther] as const],
      );
      return writeMembers([...declared, ...others]);
    };
  };

  return compile;
};
