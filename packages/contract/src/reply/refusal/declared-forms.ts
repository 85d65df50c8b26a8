import { essenceOf, mediaKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  ownMember,
  pointerTo,
  toJson,
  type Violation,
  valueAt,
} from '@trellis/openapi/internal/json';
import { membersOf } from '@trellis/openapi/internal/schema';
import { escapeMarkup, toXml } from '../../codec/xml.ts';
import { codeNameOf, type Refusal, titleOf } from '../../problems/problem.ts';
import type { Validate } from '../../validation/validators.ts';
import { violationsIn } from '../body-check.ts';
import { createBodiesBySchema, cut, type WriteRefusal } from './by-schema.ts';
import type { Form, GeneralForm } from './form.ts';
import { isProblemJson, problemDetails, standardDetails } from './problem-details.ts';

/** A declared media type that a refusal may be written in. */
interface RefusalContent {
  readonly mediaType: string;
  readonly kind: 'json' | 'text' | 'xml';
  readonly schemaAt: string | undefined;
}

/** A body that a refusal may have in a declared media type. */
interface Candidate {
  readonly content: RefusalContent;
  readonly body: WriteRefusal;
}

/** About as long as a message gets, which lists twenty violations. */
const LONG = 'it is invalid; '.repeat(300);

const VIOLATIONS: readonly Violation[] = [
  { place: 'query.limit', message: 'must be an integer' },
  { place: 'body.name', message: 'is required', pointer: '/name' },
];

/** Refusals of a status that any other one resembles: a short one, and a long one with violations. */
const samplesOf = (status: number): Refusal[] => {
  const code = status * 100 + 99;
  const sample = { code, codeName: codeNameOf(code), status, title: titleOf(status) };
  return [
    { ...sample, message: 'something is wrong', violations: [] },
    { ...sample, message: LONG, violations: VIOLATIONS },
  ];
};

const formOf = ({ content: { kind, mediaType }, body }: Candidate): Form => {
  if (kind === 'json') return { mediaType, write: (refusal) => toJson(body(refusal)) };
  if (kind === 'xml') return { mediaType, write: (refusal) => toXml(body(refusal), 'error') };
  return {
    mediaType: mediaType.includes(';') ? mediaType : `${mediaType}; charset=utf-8`,
    write: (refusal) => String(body(refusal)),
  };
};

const EMPTY: Form = { mediaType: undefined, write: () => '' };

/** Compiles the form of a refusal from the content that a response declares; `undefined` if no such body fits. */
export const createDeclaredForms = (
  document: unknown,
  validatorAt: (pointer: string) => Validate,
  { mediaType: generalType, ownersBody, defaultBody }: GeneralForm,
) => {
  const bodiesBySchema = createBodiesBySchema(document);

  /** How a refusal is written in a declared media type: as JSON, XML or text; `undefined` for any other. */
  const meaningOf = (name: string): Pick<RefusalContent, 'kind' | 'mediaType'> | undefined => {
    const essence = essenceOf(name);
    if (essence === '*/*' || essence === 'application/*') return { kind: 'json', mediaType: generalType };
    if (essence === 'text/*') return { kind: 'text', mediaType: 'text/plain' };
    const kind = mediaKindOf(name);
    return kind === 'json' || kind === 'text' || kind === 'xml' ? { kind, mediaType: name } : undefined;
  };

  const contentsAt = (at: string): RefusalContent[] =>
    Object.keys(valueAt(document, at) ?? {}).flatMap((name) => {
      const meaning = meaningOf(name);
      const schemaAt = at + pointerTo(name, 'schema');
      const hasSchema = valueAt(document, schemaAt) !== undefined;
      return meaning ? [{ ...meaning, schemaAt: hasSchema ? schemaAt : undefined }] : [];
    });

  /**
   * Writes the message as text, within the `maxLength` of the schema. The message repeats names from the request, so it
   * is escaped.
   */
  const textIn = ({ mediaType, schemaAt = '' }: RefusalContent): WriteRefusal => {
    const isPlain = essenceOf(mediaType) === 'text/plain';
    const most = Number(
      ownMember(valueAt(document, followRefs(document, schemaAt)), 'maxLength') ?? Number.POSITIVE_INFINITY,
    );
    return ({ message }) =>
      isPlain ? cut(message, most) : cut(escapeMarkup(message), most).replace(/&[^;]*$/, '');
  };

  /** In the order in which they are tried: see docs/reference/errors.md. */
  const candidatesIn = function* (contents: readonly RefusalContent[]): Generator<Candidate> {
    const json = contents.filter(({ kind }) => kind === 'json');
    for (const content of json) yield { content, body: ownersBody };
    for (const content of json)
      if (isProblemJson(essenceOf(content.mediaType)))
        for (const body of [problemDetails, standardDetails]) yield { content, body };
    for (const content of json)
      if (content.schemaAt === undefined || membersOf(document, content.schemaAt).length === 0)
        yield { content, body: defaultBody };
    for (const content of [...json, ...contents.filter(({ kind }) => kind === 'xml')])
      if (content.schemaAt !== undefined)
        for (const body of bodiesBySchema(content.schemaAt)) yield { content, body };
    // XML has no types: the default body is used even if it does not fit the schema.
    for (const { kind, mediaType } of contents)
      if (kind === 'xml') yield { content: { kind, mediaType, schemaAt: undefined }, body: defaultBody };
    for (const content of contents) if (content.kind === 'text') yield { content, body: textIn(content) };
  };

  return (responseAt: string, status: number): Form | undefined => {
    const at = responseAt + pointerTo('content');
    if (Object.keys(valueAt(document, at) ?? {}).length === 0) return EMPTY;
    const samples = samplesOf(status);
    const fits = ({ content: { schemaAt }, body }: Candidate): boolean =>
      samples.every((sample) => {
        const value = body(sample);
        if (value === undefined || schemaAt === undefined) return value !== undefined;
        return violationsIn(toJson(value), validatorAt(schemaAt), true).length === 0;
      });
    for (const candidate of candidatesIn(contentsAt(at))) if (fits(candidate)) return formOf(candidate);
    return undefined;
  };
};
