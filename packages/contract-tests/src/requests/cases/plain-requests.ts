import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import type { Content, Operation, Parameter } from '../../document/operations.ts';
import { createPlain } from '../../generation/plain.ts';
import { isObject, type Json } from '../../values/json.ts';
import type { Bodies, BodyValue, WrittenBody } from '../bodies.ts';
import { canWrite, keepWritable } from '../styles.ts';
import { alphabetOf, lacksTag, type ValidRequest } from '../valid.ts';

/** A valid request with one notable part, which is sent once. */
export interface Case {
  /** What makes it notable: `body.name empty`. */
  readonly name: string;
  readonly request: ValidRequest;
  /** The serialized body, if its spelling is the notable part. */
  readonly written?: WrittenBody | undefined;
  /** Whether the path stays unchanged. Otherwise it may be changed to refer to something that exists. */
  readonly keepsPath?: boolean;
  /** Whether a service may still reject it. */
  readonly mayRefuse?: boolean;
}

/** Interleaves lists, so that a limit drops the end of each. */
export const inTurns = <T>(lists: readonly (readonly T[])[]): T[] => {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
};

/** The longest text of a parameter: servers limit request lines and headers. */
const LONGEST_PARAMETER = 1100;
const WORD = /^[\w,.:-]*$/;

/** Creates plain requests, and checks which values can be sent. */
export const createPlainRequests = (schemas: Schemas, { write }: Bodies) => {
  const { accepts, namesOf, shapeOf, isSurelyValid } = schemas;
  const plainOf = createPlain(schemas);

  /** Whether every correct service reads this value from a parameter. */
  const canSendParameter = (operation: Operation, parameter: Parameter, value: Json): boolean => {
    const { schema, isJson } = parameter;
    if (lacksTag(parameter, value)) return false;
    if (toJson(value).length > LONGEST_PARAMETER || !canWrite(parameter, shapeOf(schema), value))
      return false;
    if (isJson) return accepts(schema, value);
    const isWord = [value].flat().every((each) => typeof each !== 'string' || WORD.test(each));
    return (alphabetOf(operation, parameter) === 'any' || isWord) && isSurelyValid(schema, value);
  };

  /** Whether a form has undeclared members, whose serialization is undefined. */
  const hasStrangers = ({ kind, schema }: Content, value: Json): boolean => {
    if ((kind !== 'form' && kind !== 'multipart') || !isObject(value)) return false;
    const known = namesOf(schema);
    return Object.keys(value).some((name) => !known.has(name));
  };

  const canSendBody = (content: Content, value: BodyValue): boolean => {
    if (value instanceof Uint8Array || content.kind === 'xml') return true;
    if (hasStrangers(content, value)) return false;
    const isRight =
      content.kind === 'json' ? accepts(content.schema, value) : isSurelyValid(content.schema, value);
    return isRight && write(content, value) !== undefined;
  };

  /** Plain requests of an operation. Samples show which parts can be sent, and replace plain values that do not fit. */
  const forOperation = (operation: Operation, samples: readonly ValidRequest[]) => {
    const parameters = operation.parameters.filter((each) =>
      samples.some((sample) => sample.parameters.has(each)),
    );
    const contents = [...new Set(samples.flatMap(({ body }) => body?.content ?? []))];

    const parameterOf = (parameter: Parameter, count: number): [Parameter, Json][] => {
      const plain = keepWritable(
        schemas,
        parameter,
        plainOf(parameter.schema, { isFull: true, count }) ?? null,
      );
      if (canSendParameter(operation, parameter, plain)) return [[parameter, plain]];
      const sampled = samples.flatMap((sample) => sample.parameters.get(parameter) ?? []);
      const value = sampled[count % sampled.length];
      return value === undefined ? [] : [[parameter, value]];
    };
    const bodyOf = (content: Content, count: number, isFull: boolean): ValidRequest['body'] => {
      const plain = plainOf(content.schema, { isFull, count });
      if (
        plain !== undefined &&
        content.kind !== 'xml' &&
        content.kind !== 'binary' &&
        canSendBody(content, plain)
      )
        return { content, value: plain };
      const sampled = samples.flatMap(({ body }) => (body?.content === content ? [body] : []));
      return sampled[count % sampled.length];
    };
    const isNeeded = (parameter: Parameter): boolean => parameter.isRequired || parameter.in === 'path';

    return {
      parameters,
      contents,
      /** A plain request with all optional parts, or without them. */
      make: (count: number, isFull: boolean, content = contents[0]): ValidRequest => ({
        parameters: new Map(
          parameters.filter((each) => isFull || isNeeded(each)).flatMap((each) => parameterOf(each, count)),
        ),
        body:
          content && (isFull || operation.body?.isRequired || content !== contents[0])
            ? bodyOf(content, count, isFull)
            : undefined,
        schemes: samples[0]?.schemes ?? [],
      }),
    };
  };

  return { plainOf, forOperation, canSendParameter, canSendBody };
};

/** Creates plain requests. */
export type PlainRequests = ReturnType<typeof createPlainRequests>;
