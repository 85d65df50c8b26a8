import { toJson } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import type { Content, Operation, Parameter } from '../../document/operations.ts';
import { createPlain } from '../../generation/plain.ts';
import { isObject, type Json } from '../../values/json.ts';
import type { Bodies, BodyValue, WrittenBody } from '../bodies.ts';
import { canWrite, keepWritable } from '../styles.ts';
import { alphabetOf, lacksTag, type ValidRequest } from '../valid.ts';

/** A valid request that is sent once, for what is notable about it. */
export interface Case {
  /** What is notable: `body.name empty`. */
  readonly name: string;
  readonly request: ValidRequest;
  /** Its body as it is written, where another way to write it is what is notable. */
  readonly written?: WrittenBody | undefined;
  /** Whether the path stays as it is; otherwise it may lead to something that exists. */
  readonly keepsPath?: boolean;
  /** Whether a service may refuse it all the same. */
  readonly mayRefuse?: boolean;
}

/** Cases in turns, one of each list after the other, so that a limit leaves out the least telling of all. */
export const inTurns = <T>(lists: readonly (readonly T[])[]): T[] => {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
};

/** The longest text of a parameter: servers limit the line of a request and its header fields. */
const LONGEST_PARAMETER = 1100;
const WORD = /^[\w,.:-]*$/;

/** Makes plain requests of an operation, and tells what can be sent. */
export const createPlainRequests = (side: Side, { write }: Bodies) => {
  const { accepts, namesOf, shapeOf, isSurelyValid } = side;
  const plainOf = createPlain(side);

  /** Whether a parameter carries a value so that every service reads it alike. */
  const canSendParameter = (operation: Operation, parameter: Parameter, value: Json): boolean => {
    const { schema, isJson } = parameter;
    if (lacksTag(parameter, value)) return false;
    if (toJson(value).length > LONGEST_PARAMETER || !canWrite(parameter, shapeOf(schema), value))
      return false;
    if (isJson) return accepts(schema, value);
    const isWord = [value].flat().every((each) => typeof each !== 'string' || WORD.test(each));
    return (alphabetOf(operation, parameter) === 'any' || isWord) && isSurelyValid(schema, value);
  };

  /** Whether a form has members that its schema does not name: the standard does not say how they are written. */
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

  /** Plain requests of an operation; samples of its valid requests say what can be there, and are a last resort. */
  const forOperation = (operation: Operation, samples: readonly ValidRequest[]) => {
    const parameters = operation.parameters.filter((each) =>
      samples.some((sample) => sample.parameters.has(each)),
    );
    const contents = [...new Set(samples.flatMap(({ body }) => body?.content ?? []))];

    const parameterOf = (parameter: Parameter, count: number): [Parameter, Json][] => {
      const plain = keepWritable(side, parameter, plainOf(parameter.schema, { isFull: true, count }) ?? null);
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
      /** A plain request with all that is optional, or with nothing of it. */
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

/** Makes plain requests. */
export type PlainRequests = ReturnType<typeof createPlainRequests>;
