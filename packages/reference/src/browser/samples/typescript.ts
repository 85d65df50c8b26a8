import { hasPositions } from '@trellis/openapi/internal/http';
import { tryParseExact } from '@trellis/openapi/internal/json';
import type { Operation, Parameter } from '../contract/operation.ts';
import { describeSchema } from '../contract/schema.ts';
import { readField } from '../request/build.ts';
import { type Credentials, chooseAlternative } from '../request/credentials.ts';
import { contentOf, type Input, parameterKey } from '../request/input.ts';
import { type Notation, type SchemaOf, writeLiteral } from './literal.ts';

/** The typed client, as `trellis generate` writes it into a project. */
const CLIENT_MODULE = './generated/client.ts';

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const notationFor = (document: unknown): Notation => ({
  indent: '  ',
  text: quote,
  name: (name) => (IDENTIFIER.test(name) ? name : quote(name)),
  // The client takes a bigint for int64.
  number: (value, at) => {
    const isInt64 = at !== undefined && describeSchema(document, at).format === 'int64';
    return typeof value === 'bigint' || (isInt64 && Number.isInteger(value))
      ? `${BigInt(value)}n`
      : `${value}`;
  },
  words: { true: 'true', false: 'false', null: 'null' },
});

/** Finds the schema of a member or an item, in alternatives too. */
const schemasIn = (document: unknown): SchemaOf => {
  const find = (at: string | undefined, step: string | undefined, depth: number): string | undefined => {
    if (at === undefined || depth > 4) return undefined;
    const { members, items, others, variants } = describeSchema(document, at);
    const found = step === undefined ? items : (members.find(({ name }) => name === step) ?? others[0])?.at;
    if (found !== undefined) return found;
    for (const variant of variants) {
      const inside = find(variant.at, step, depth + 1);
      if (inside !== undefined) return inside;
    }
    return undefined;
  };
  return (at, step) => find(at, step, 0);
};

/** Converts a text to the type of a parameter's schema. */
const typed = (document: unknown, text: string, { schemaAt, json }: Parameter): unknown => {
  const value = readField(text, json);
  if (typeof value !== 'string' || schemaAt === undefined) return value;
  const { type } = describeSchema(document, schemaAt);
  const isScalar = /\b(?:integer|number|boolean)\b/.test(type) && !/\bstring\b/.test(type);
  return isScalar ? (tryParseExact(value) ?? value) : value;
};

const credentialsOf = ({ security }: Operation, credentials: Credentials): Record<string, unknown> => {
  const options: Record<string, unknown> = {};
  for (const { scheme } of chooseAlternative(security, credentials)) {
    const { name = '', secret = '' } = credentials[scheme.name] ?? {};
    if (scheme.kind === 'apiKey') options.apiKey = secret;
    if (scheme.kind === 'bearer') options.token = secret;
    if (scheme.kind === 'basic') options.basic = { name, password: secret };
  }
  return options;
};

/** A request with the typed client of the contract. */
export const typescriptOf = (
  document: unknown,
  operation: Operation,
  input: Input,
  credentials: Credentials,
): string => {
  const notation = notationFor(document);
  const schemaOf = schemasIn(document);
  const write = (value: unknown, at?: string, margin = '  '): string =>
    writeLiteral(value, notation, schemaOf, at, margin);
  const places = ['path', 'query', 'header', 'cookie'].flatMap((place) => {
    const parts = operation.parameters
      .filter((parameter) => parameter.place === place && input.values[parameterKey(parameter)])
      .map((parameter) => {
        const value = typed(document, input.values[parameterKey(parameter)] ?? '', parameter);
        return `${notation.name(parameter.name)}: ${write(value, parameter.schemaAt)}`;
      });
    return parts.length > 0 ? [`${place}: { ${parts.join(', ')} }`] : [];
  });
  const content = contentOf(operation, input);
  const body = ((): string[] => {
    if (!content) return [];
    if (content.kind === 'json') {
      const value = tryParseExact(input.text);
      return value === undefined ? [] : [`body: ${write(value, content.schemaAt)}`];
    }
    if (content.kind === 'text') return [`body: ${write(input.text)}`];
    if (content.kind === 'binary') return ['body: bytes'];
    if (hasPositions(content.mediaType)) return ['body: parts'];
    const fields = Object.entries(input.fields).map(([name, value]) => [
      name,
      value instanceof File ? `${value.name}` : value,
    ]);
    return [`body: ${write(Object.fromEntries(fields), content.schemaAt)}`];
  })();
  const isUsual = content?.mediaType === 'application/json' || operation.body?.contents.length === 1;
  const request = [
    ...places,
    ...body,
    ...(content && !isUsual ? [`mediaType: ${quote(content.mediaType)}`] : []),
  ];
  const line = `{ ${request.join(', ')} }`;
  const isShort = line.length < 50 && !line.includes('\n');
  const argument =
    request.length === 0 ? '' : isShort ? line : `{\n${request.map((part) => `  ${part},\n`).join('')}}`;
  const call = IDENTIFIER.test(operation.id) ? `client.${operation.id}` : `client[${quote(operation.id)}]`;
  const options = write({ url: operation.server, ...credentialsOf(operation, credentials) }, undefined, '');
  const hasReplyBody = operation.replies.some(({ contents }) => contents.length > 0);
  return `import { createClient } from ${quote(CLIENT_MODULE)};

const client = createClient(${options});
const reply = await ${call}(${argument});
console.log(reply.status${hasReplyBody ? ', reply.body' : ''});`;
};
