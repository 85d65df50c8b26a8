import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Content, Operation, Parameter } from '../document/operations.ts';
import { isObject, type Json } from '../values/json.ts';
import { type BodyValue, writeBody } from './bodies.ts';
import type { WrittenBody } from './call.ts';
import { canWrite, keepWritable } from './styles.ts';
import { alphabetOf, lacksTag, type ValidRequest } from './valid.ts';

/** A valid request with one edge case, which is sent once. */
export interface Case {
  /** The edge case: `body.name empty`. */
  readonly name: string;
  readonly request: ValidRequest;
  /** The serialized body, if its spelling is the edge case. */
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

const createCanSendParameter =
  ({ accepts, shapeOf, isSurelyValid }: Schemas) =>
  (operation: Operation, parameter: Parameter, value: Json): boolean => {
    const { schema, isJson } = parameter;
    if (lacksTag(parameter, value) || toJson(value).length > LONGEST_PARAMETER) return false;
    if (!canWrite(parameter, shapeOf(schema), value)) return false;
    if (isJson) return accepts(schema, value);
    const isWord = [value].flat().every((each) => typeof each !== 'string' || WORD.test(each));
    return (alphabetOf(operation, parameter) === 'any' || isWord) && isSurelyValid(schema, value);
  };

/** Whether every correct service reads this value from a body. The serialization of undeclared form members is undefined. */
const createCanSendBody =
  (schemas: Schemas) =>
  (content: Content, value: BodyValue): boolean => {
    const { namesOf, accepts, isSurelyValid } = schemas;
    const { kind, schema } = content;
    if (value instanceof Uint8Array || kind === 'xml') return true;
    const isForm = (kind === 'form' || kind === 'multipart') && isObject(value);
    if (isForm && !Object.keys(value).every((name) => namesOf(schema).has(name))) return false;
    const isValid = kind === 'json' ? accepts(schema, value) : isSurelyValid(schema, value);
    return isValid && writeBody(schemas, content, value) !== undefined;
  };

/** Creates plain requests, and checks which values can be sent. */
export const createPlainRequests = (schemas: Schemas) => {
  const canSend = { parameter: createCanSendParameter(schemas), body: createCanSendBody(schemas) };

  /** Plain requests of an operation. Samples show which parts can be sent, and replace plain values that do not fit. */
  const forOperation = (operation: Operation, samples: readonly ValidRequest[]) => {
    const parameters = operation.parameters.filter((each) =>
      samples.some((sample) => sample.parameters.has(each)),
    );
    const contents = [...new Set(samples.flatMap(({ body }) => body?.content ?? []))];

    const parameterOf = (parameter: Parameter, count: number): [Parameter, Json][] => {
      const made = schemas.plainOf(parameter.schema, { isFull: true, count }) ?? null;
      const plain = keepWritable(schemas, parameter, made);
      if (canSend.parameter(operation, parameter, plain)) return [[parameter, plain]];
      const sampled = samples.flatMap((sample) => sample.parameters.get(parameter) ?? []);
      const value = sampled[count % sampled.length];
      return value === undefined ? [] : [[parameter, value]];
    };
    const bodyOf = (content: Content, count: number, isFull: boolean): ValidRequest['body'] => {
      const isGenerated = content.kind !== 'xml' && content.kind !== 'binary';
      const plain = isGenerated ? schemas.plainOf(content.schema, { isFull, count }) : undefined;
      if (plain !== undefined && canSend.body(content, plain)) return { content, value: plain };
      const sampled = samples.flatMap(({ body }) => (body?.content === content ? [body] : []));
      return sampled[count % sampled.length];
    };

    return {
      ...{ parameters, contents, bodyOf },
      /** A plain request with all optional parts, or without them. */
      make: (count: number, isFull: boolean, content = contents[0]): ValidRequest => {
        const hasBody = isFull || operation.body?.isRequired || content !== contents[0];
        const sent = parameters.filter((each) => isFull || each.isRequired || each.in === 'path');
        return {
          parameters: new Map(sent.flatMap((each) => parameterOf(each, count))),
          body: content && hasBody ? bodyOf(content, count, isFull) : undefined,
          schemes: samples[0]?.schemes ?? [],
        };
      },
    };
  };

  return { forOperation, canSend };
};

/** Creates plain requests. */
export type PlainRequests = ReturnType<typeof createPlainRequests>;

/** The plain requests of an operation. */
export type PlainOfOperation = ReturnType<PlainRequests['forOperation']>;
