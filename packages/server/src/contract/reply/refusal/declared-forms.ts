import { pointerTo, toJson, valueAt } from '@trellis/openapi/json';
import { membersOf } from '@trellis/openapi/schema';
import { essenceOf, kindOf } from '../../body/media-types.ts';
import { escapeMarkup, toXml } from '../../codec/xml.ts';
import type { Validate } from '../../validation/validators.ts';
import { violationsIn } from '../body-check.ts';
import { createBodiesBySchema } from './by-schema.ts';
import type { Form } from './form.ts';
import type { GeneralForm } from './general.ts';
import type { Say } from './known-members.ts';
import { isProblemJson, PROBLEM_DETAILS } from './problem-details.ts';
import { samplesOf } from './samples.ts';

/** A declared media type that a refusal may be written in. */
interface Content {
  readonly mediaType: string;
  readonly kind: 'json' | 'text' | 'xml';
  readonly schemaAt: string | undefined;
}

const asJson = ({ mediaType }: Content, body: Say<unknown>): Form => ({
  mediaType,
  write: (refusal) => toJson(body(refusal)),
});

/** Messages repeat names of the request, which must not become markup. */
const asText = ({ mediaType }: Content): Form => ({
  mediaType: mediaType.includes(';') ? mediaType : `${mediaType}; charset=utf-8`,
  write: ({ message }) => (essenceOf(mediaType) === 'text/plain' ? message : escapeMarkup(message)),
});

const asXml = ({ mediaType }: Content, body: Say<unknown>): Form => ({
  mediaType,
  write: (refusal) => toXml(body(refusal), 'error'),
});

/** RFC 7303, sections 4 and 8. */
const isXml = (essence: string): boolean => /^(?:application|text)\/xml$|\+xml$/.test(essence);

const EMPTY: Form = { mediaType: undefined, write: () => '' };

/** Compiles how a refusal is written in what a response declares; `undefined` if no such body is true. */
export const createDeclaredForms = (
  document: unknown,
  validatorAt: (pointer: string) => Validate,
  { mediaType: generalType, ownersBody, machineBody }: GeneralForm,
) => {
  const bySchema = createBodiesBySchema(document);

  const fits = (schemaAt: string | undefined, body: unknown): boolean => {
    if (body === undefined) return false;
    if (schemaAt === undefined) return true;
    return violationsIn(toJson(body), validatorAt(schemaAt), true).length === 0;
  };

  /** What a declared media type means for a refusal: JSON, XML or text, or nothing that is written here. */
  const meaningOf = (name: string): Pick<Content, 'kind' | 'mediaType'> | undefined => {
    const essence = essenceOf(name);
    if (essence === '*/*' || essence === 'application/*') return { kind: 'json', mediaType: generalType };
    if (essence === 'text/*') return { kind: 'text', mediaType: 'text/plain' };
    if (isXml(essence)) return { kind: 'xml', mediaType: name };
    const kind = kindOf(name);
    return kind === 'json' || kind === 'text' ? { kind, mediaType: name } : undefined;
  };

  const contentsAt = (at: string): Content[] =>
    Object.keys(valueAt(document, at) ?? {}).flatMap((name) => {
      const meaning = meaningOf(name);
      const schemaAt = at + pointerTo(name, 'schema');
      const hasSchema = valueAt(document, schemaAt) !== undefined;
      return meaning ? [{ ...meaning, schemaAt: hasSchema ? schemaAt : undefined }] : [];
    });

  const namesNoMembers = ({ schemaAt }: Content): boolean =>
    schemaAt === undefined || membersOf(document, schemaAt).length === 0;

  return (responseAt: string, status: number): Form | undefined => {
    const at = responseAt + pointerTo('content');
    if (Object.keys(valueAt(document, at) ?? {}).length === 0) return EMPTY;
    const contents = contentsAt(at);
    const samples = samplesOf(status);
    const fitsAll = ({ schemaAt }: Content, body: Say<unknown>): boolean =>
      samples.every((sample) => fits(schemaAt, body(sample)));

    const firstJson = (bodiesOf: (content: Content) => readonly Say<unknown>[]): Form | undefined => {
      for (const content of contents.filter(({ kind }) => kind === 'json')) {
        const body = bodiesOf(content).find((each) => fitsAll(content, each));
        if (body) return asJson(content, body);
      }
      return undefined;
    };
    /** The schema says which elements there are; whatever else it asks for, XML has no types. */
    const firstXml = (): Form | undefined => {
      const xml = contents.find(({ kind }) => kind === 'xml');
      const bodies = xml?.schemaAt === undefined ? [] : bySchema.bodiesAt(xml.schemaAt).telling;
      return xml && asXml(xml, bodies.find((body) => fitsAll(xml, body)) ?? machineBody);
    };
    const firstText = (): Form | undefined => {
      const text = contents.find(
        (content) => content.kind === 'text' && fitsAll(content, ({ message }) => message),
      );
      return text && asText(text);
    };
    const bySchemas = (kind: 'telling' | 'silent'): Form | undefined =>
      firstJson(({ schemaAt }) => (schemaAt === undefined ? [] : bySchema.bodiesAt(schemaAt)[kind]));
    const said =
      firstJson(() => [ownersBody]) ??
      firstJson(({ mediaType }) => (isProblemJson(essenceOf(mediaType)) ? PROBLEM_DETAILS : [])) ??
      firstJson((content) => (namesNoMembers(content) ? [machineBody] : [])) ??
      bySchemas('telling') ??
      firstXml() ??
      firstText();
    if (said) return said;
    const silent = bySchemas('silent');
    return silent && { ...silent, isSilent: true };
  };
};
