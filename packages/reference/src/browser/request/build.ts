import { writeBasic } from '@trellis/client/internal';
import { urlPath } from '@trellis/openapi/internal/document';
import type { BodyKind } from '@trellis/openapi/internal/http';
import { sampleOf, writePairs, writeSegment } from '@trellis/openapi/internal/http';
import { tryParseExact } from '@trellis/openapi/internal/json';
import type { Operation, Parameter } from '../contract/operation.ts';
import { type Credentials, chooseAlternative } from './credentials.ts';
import { contentOf, type Input, parameterKey } from './input.ts';

/** A request that is ready to be sent, or to be written as code. */
export interface Built {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** How the body is written; `undefined` without one. */
  readonly kind: BodyKind | undefined;
  readonly text: string | undefined;
  readonly fields: readonly (readonly [name: string, value: string | File])[] | undefined;
  readonly file: File | undefined;
  /** The names of required parameters that have no value. */
  readonly missing: readonly string[];
}

/** Parses a field: as JSON if it starts a list or an object, else as text. */
export const readField = (text: string, json: boolean | undefined): unknown =>
  json || /^\s*[[{]/.test(text) ? (tryParseExact(text) ?? text) : text;

/** A lone surrogate has no encoding, and must not take the page down. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

type Sent = readonly [place: string, name: string, value: string];

/** The parts of a request that carry the chosen credentials. Browsers send cookies by themselves. */
const credentialsIn = ({ security }: Operation, credentials: Credentials): Sent[] =>
  chooseAlternative(security, credentials).flatMap(({ scheme }): Sent[] => {
    const { name = '', secret = '' } = credentials[scheme.name] ?? {};
    if (secret === '' && name === '') return [];
    if (scheme.kind === 'apiKey') return [[scheme.place, scheme.parameter, secret]];
    const value = scheme.kind === 'basic' ? writeBasic(name, secret) : `Bearer ${secret}`;
    return [['header', 'Authorization', scheme.kind === undefined ? secret : value]];
  });

const bodyOf = (operation: Operation, input: Input): Pick<Built, 'kind' | 'text' | 'fields' | 'file'> => {
  const { kind } = contentOf(operation, input) ?? {};
  const isForm = kind === 'form' || kind === 'multipart';
  return {
    kind,
    text: (kind === 'json' || kind === 'text') && input.text !== '' ? input.text : undefined,
    fields: isForm ? Object.entries(input.fields).filter(([, value]) => value !== '') : undefined,
    file: kind === 'binary' ? input.file : undefined,
  };
};

/** Builds the request of an input. */
export const buildRequest = (operation: Operation, input: Input, credentials: Credentials): Built => {
  const filled = operation.parameters.flatMap((parameter) => {
    const text = input.values[parameterKey(parameter)] ?? '';
    return text === '' ? [] : [{ parameter, value: readField(text, parameter.json) }];
  });
  const inPlace = (place: string) => filled.filter(({ parameter }) => parameter.place === place);
  const sent = credentialsIn(operation, credentials);
  const path = inPlace('path').reduce(
    (url, { parameter, value }) =>
      url.replaceAll(`{${parameter.name}}`, () => writeSegment(parameter, value, encode)),
    urlPath(operation.path),
  );
  const query = [
    ...inPlace('query').flatMap(({ parameter, value }) =>
      writePairs(parameter, parameter.name, value, encode),
    ),
    ...sent.flatMap(([place, ...pair]) => (place === 'query' ? [pair.map(encode)] : [])),
  ].map((pair) => pair.join('='));
  const body = bodyOf(operation, input);
  const hasType = body.text !== undefined || body.file !== undefined;
  const isMissing = (parameter: Parameter) =>
    parameter.isRequired && (input.values[parameterKey(parameter)] ?? '') === '';
  return {
    method: operation.method,
    url: operation.server + path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: [
      ...sent.flatMap(([place, ...pair]) => (place === 'header' ? [pair] : [])),
      ...inPlace('header').map(
        ({ parameter, value }) => [parameter.name, writeSegment(parameter, value, (text) => text)] as const,
      ),
      ...(hasType ? [['Content-Type', sampleOf(input.mediaType)] as const] : []),
    ],
    ...body,
    missing: operation.parameters.filter(isMissing).map(({ name }) => name),
  };
};
