import { textOf } from '@trellis/openapi/internal/http';
import type { Content } from '../contract/content.ts';
import type { Operation, Parameter } from '../contract/operation.ts';

/** The input for an operation. */
export interface Input {
  /** The texts of parameters, by their keys. */
  readonly values: Readonly<Record<string, string>>;
  readonly mediaType: string;
  /** The body, to the letter. */
  readonly text: string;
  /** The fields of a form, by name. */
  readonly fields: Readonly<Record<string, string | File>>;
  /** A body of bytes. */
  readonly file: File | undefined;
}

/** Parameters in different places may have the same name. */
export const parameterKey = ({ place, name }: Parameter): string => `${place} ${name}`;

/** The selected content of an input. */
export const contentOf = ({ body }: Operation, { mediaType }: Input): Content | undefined =>
  body?.contents.find((content) => content.mediaType === mediaType);

/** The input that an operation starts with: the examples of the contract. */
export const firstInput = ({ parameters, body }: Operation): Input => {
  const content = body?.contents.find(({ kind }) => kind === 'json') ?? body?.contents[0];
  const filled = parameters.filter(({ initial }) => initial !== undefined);
  return {
    values: Object.fromEntries(filled.map((each) => [parameterKey(each), textOf(each.initial)])),
    mediaType: content?.mediaType ?? '',
    text: content?.examples[0]?.text ?? '',
    fields: {},
    file: undefined,
  };
};
