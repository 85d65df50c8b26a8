import { bodyKindOf } from '@trellis/openapi/internal/http';
import {
  type ExactValue,
  memberPlace,
  objectOf,
  once,
  ownMember,
  plainValue,
  valueAt,
} from '@trellis/openapi/internal/json';
import { memberAt, membersOf, throughRefs } from '@trellis/openapi/internal/schema';
import { checkStorable, parseJson, toText } from '../json/parse-json.ts';
import { Problem } from '../problems/problem.ts';
import type { AcceptsAt } from '../validation/references.ts';
import { groupByName } from './places.ts';
import { createOwns, createReader, type Reader, singleReader } from './reader.ts';
import { type Sent, splitPair } from './styles.ts';
import { membersReadAt, type Read, readFirst, readingsAt } from './values.ts';

/** A member that the schema declares. */
interface Field extends Reader {
  readonly name: string;
}

type Decode = (text: string) => string;

const createDecoder =
  (place: string): Decode =>
  (text) => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      throw new Problem('malformedJson', `${place} is not a valid form`);
    }
  };

/** A style overrides the media type (OAS 3.1, section 4.8.15.1). */
const isJsonField = (encoding: unknown): boolean =>
  ['style', 'explode', 'allowReserved'].every((key) => ownMember(encoding, key) === undefined) &&
  bodyKindOf(String(ownMember(encoding, 'contentType'))) === 'json';

/** A field that the schema does not declare is a text; several of one name are a list. */
const readOther = (raws: readonly string[], decode: Decode): ExactValue => {
  const texts = raws.map(decode);
  return plainValue(texts.length === 1 ? texts[0] : texts);
};

/** Creates a function that compiles how a field of a form is read, by its schema and its encoding. */
const createFields = (document: unknown, schemaAt: string, acceptsAt: AcceptsAt, place: string) => {
  const decodeForm = createDecoder(place);
  const compileReader = createReader(document, acceptsAt);
  const encodings = valueAt(document, schemaAt.replace(/schema$/, 'encoding'));
  return (name: string, at: string, names: ReadonlySet<string>): Field => {
    const encoding = ownMember(encodings, name);
    if (isJsonField(encoding)) {
      const read = (sent: Sent): ExactValue | undefined => {
        const raws = sent.get(name);
        if (raws?.length !== 1) return raws && readOther(raws, decodeForm);
        return parseJson(Buffer.from(decodeForm(raws.join(''))), memberPlace(place, name));
      };
      return { name, ...singleReader(name, read) };
    }
    const style = String(ownMember(encoding, 'style') ?? 'form');
    const written = {
      name,
      style,
      explode: Boolean(ownMember(encoding, 'explode') ?? style === 'form'),
      members: membersReadAt(document, at).filter((inner) => !names.has(inner)), // these are separate fields
      place: memberPlace(place, name),
      declared: names,
    };
    return { name, ...compileReader(written, at, decodeForm) };
  };
};

/**
 * Compiles a form decoder by the schema at a pointer, and by the encoding beside it. A form has only texts. They are
 * written like query parameters, and the schema determines their types. `place` is the name of the form in messages.
 */
export const createFormDecoder = (
  document: unknown,
  schemaAt: string,
  acceptsAt: AcceptsAt,
  place = 'body',
) => {
  const decodeForm = createDecoder(place);
  const compileField = createFields(document, schemaAt, acceptsAt, place);

  /** Compiles how the fields of a form are read by one schema. */
  const compileFields = (formAt: string): Read<Sent> => {
    const names = new Set(membersOf(document, formAt));
    const fields = [...names].flatMap((name) => {
      const at = memberAt(document, formAt, 'properties', name);
      return at === undefined ? [] : [compileField(name, at, names)];
    });
    const isOwned = createOwns(fields);
    return (sent) => {
      const declared = fields.flatMap(({ name, read }) => {
        const typed = read(sent);
        return typed === undefined ? [] : [[name, typed] as const];
      });
      const others = [...sent]
        .filter(([name]) => !isOwned(name))
        .map(([name, raws]) => [name, readOther(raws, decodeForm)] as const);
      return objectOf([...declared, ...others]);
    };
  };

  const ways = readingsAt(document, throughRefs(document, schemaAt)).map((at) => {
    const fields = once(() => compileFields(at));
    return (sent: Sent) => fields()(sent);
  });
  const readForm = readFirst(ways, acceptsAt(schemaAt));

  return (bytes: Buffer): ExactValue => {
    const pairs = toText(bytes, place).split('&').filter(Boolean).map(splitPair);
    const sent = groupByName(pairs.map(([name, value]) => [decodeForm(name), value] as const));
    const form = readForm(sent, pairs.length) ?? objectOf([]);
    checkStorable(form.value, place);
    return form;
  };
};
