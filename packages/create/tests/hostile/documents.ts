/** Contracts that mean harm: names, texts, keys and types are wrong, or try to become code where they are written. */
import fc from 'fast-check';

/** Runs if anything of a contract ever does: see `watch` in run.ts, and the file that a shell would make. */
const CALL = 'globalThis.__ran(1)';
const TOUCH = 'touch RAN';

const EVIL = [
  ...[CALL, `"+${CALL}+"`, `'+${CALL}+'`, `\`+${CALL}+\``, `\${${CALL}}`, `");${CALL};("`, `';${CALL};'`],
  ...[`*/${CALL}/*`, `*/\n${CALL};//`, `*\\/${CALL}`, `\n${CALL}\n`, `\u2028${CALL}\u2028`, `]: ${CALL}, [x`],
  ...[`x;${CALL};type y=z`, `x = ${CALL}`, `\\`, '\\"', "\\'", '\\u0061', '\\\n', '\r\n', '\0', '\u2029'],
  ...[`</script><script>${CALL}</script>`, `<img src=x onerror=${CALL}>`, `[x](javascript:${CALL})`],
  ...[`$(${TOUCH})`, `\`${TOUCH}\``, `'; ${TOUCH}; '`, `; ${TOUCH} #`, `\n${TOUCH}\n`, `\x03\n${TOUCH}\n`],
  ...[`"""\n${CALL}\n"""`, `"); ${CALL} #`, '\x1b[31m', '\x07', '\ufeff', '\u202e', '\ud800', '😀', 'ü', 'ﬁ'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', 'arguments'],
  ...['default', 'await', 'class', 'type', 'enum', 'eval', 'undefined', 'async', 'of', 'code', 'Handler'],
  ...[
    'operations',
    'Contract',
    'int64',
    'int64s1',
    'Operation',
    'stub',
    'needs',
    'Record',
    'Buffer',
    'object',
  ],
  ...[
    '',
    ' ',
    '.',
    '..',
    '../../evil',
    '/etc/passwd',
    'CON',
    'problems',
    '-rf',
    '--help',
    '@file',
    'x'.repeat(300),
  ],
  ...[
    '#',
    '/',
    '~',
    '~0~1',
    '%',
    '%zz',
    '%2e%2e',
    '{',
    '}',
    '{id}',
    '{{title}}',
    '$&',
    '$1',
    '*',
    '?a=b',
    '=',
    ';',
  ],
  ...[
    '1',
    '-1',
    '1e999',
    '12345678901234567890',
    'NaN',
    'true',
    'null',
    'javascript:0',
    '$ref',
    'x-y',
    'a=@/etc/passwd;type=b',
  ],
];

/** A few only: to judge a pattern takes long, and each is judged once. */
const PATTERNS = [
  '^a$',
  '(a+)+$',
  '[',
  `/${CALL}/`,
  `\${${CALL}}`,
  '`',
  '"',
  '\\',
  '(?<x>',
  '\n',
  '[\\w-.]',
  '',
];

const plain = fc.constantFrom('id', 'name', 'tag', 'size', 'kind', 'list', 'Thing', 'createThing', 'code');
const evil = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...EVIL) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...EVIL), fc.constantFrom(...EVIL)).map((two) => two.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 8 }) },
);
const text = fc.oneof(evil, plain);

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, -0, 2 ** 53, 1e-7, [], {}, [[]], [null], { '': {} }),
  text,
  text.map((it) => [it]),
  text.map((code) => ({ code })),
  text.map(($ref) => ({ $ref })),
  fc.tuple(text, text).map(([key, it]) => ({ [key]: it })),
);

/** Right as a rule, so that a contract gets far. */
const mostly = <T>(right: fc.Arbitrary<T>, weight = 30): fc.Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: junk });

/** Some or all of these members, and sometimes an unexpected one. */
const some = (members: Record<string, fc.Arbitrary<unknown>>, ...always: string[]): fc.Arbitrary<object> =>
  fc
    .tuple(
      fc.record(
        Object.fromEntries(
          Object.entries(members).map(([key, it]) => [
            key,
            always.includes(key)
              ? mostly(it)
              : fc.oneof(
                  { weight: 2, arbitrary: fc.constant(undefined) },
                  { weight: 1, arbitrary: mostly(it) },
                ),
          ]),
        ),
      ),
      fc.oneof(
        { weight: 20, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.tuple(fc.tuple(text, junk)) },
      ),
    )
    .map(([object, odd]) =>
      Object.fromEntries([...Object.entries(object).filter(([, member]) => member !== undefined), ...odd]),
    );

const mapOf = (value: fc.Arbitrary<unknown>, keys: fc.Arbitrary<string> = text, maxKeys = 3) =>
  fc.dictionary(keys, value, { maxKeys, noNullPrototype: true });

const listOf = (value: fc.Arbitrary<unknown>, maxLength = 3) => fc.array(value, { maxLength });

const SECTIONS = ['schemas', 'parameters', 'responses', 'requestBodies', 'headers', 'examples', 'pathItems'];

/** References: to components by the names of this contract, to other places in it, and to nothing. */
const refTo = (section: string, names: readonly string[]): fc.Arbitrary<object> =>
  fc
    .oneof(
      {
        weight: 10,
        arbitrary: fc.constantFrom(...names).map((name) => `#/components/${section}/${escapeStep(name)}`),
      },
      { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => `#/${escapeStep(name)}`) },
      { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => `#/${escapeStep(name)}/${section}`) },
      { weight: 1, arbitrary: text.map((it) => `#/components/${section}/${it}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '#/paths/~1/get',
          '#',
          '#/',
          '#x',
          'https://evil.example/x.yaml',
          'none.yaml#/x',
        ),
      },
    )
    .map(($ref) => ({ $ref }));

const escapeStep = (step: string): string => {
  const pointer = step.replaceAll('~', '~0').replaceAll('/', '~1');
  return step.length % 2 === 0 || !step.isWellFormed() ? pointer : encodeURIComponent(pointer);
};

const schemaOf = (names: readonly string[]): fc.Arbitrary<unknown> => {
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const inner = tie('schema');
    const leaf = some({
      type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'object', ['integer', 'null']),
      format: fc.oneof(fc.constantFrom('int64', 'int32', 'binary', 'byte', 'date'), text),
      title: text,
      description: text,
      default: junk,
      example: junk,
      examples: listOf(junk),
      enum: listOf(junk),
      const: junk,
      pattern: fc.constantFrom(...PATTERNS),
      deprecated: fc.boolean(),
      readOnly: fc.boolean(),
      writeOnly: fc.boolean(),
      nullable: fc.boolean(),
      minimum: fc.integer(),
      externalDocs: some({ url: text, description: text }),
      xml: some({ name: text }),
      $id: text,
      $anchor: text,
      'x-thing': junk,
    });
    const object = some(
      {
        type: fc.constant('object'),
        properties: mapOf(inner),
        required: listOf(text),
        additionalProperties: fc.oneof(inner, fc.boolean()),
        patternProperties: mapOf(inner, fc.constantFrom(...PATTERNS)),
        description: text,
        discriminator: some({ propertyName: text, mapping: mapOf(text) }, 'propertyName'),
        dependentRequired: mapOf(listOf(text)),
        $defs: mapOf(inner, text, 1),
      },
      'properties',
    );
    const int64 = fc.constant({ type: 'integer', format: 'int64' });
    return {
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        int64,
        refTo('schemas', names),
        object,
        some({ type: fc.constant('array'), items: inner, prefixItems: listOf(inner) }, 'items'),
        some({
          oneOf: listOf(inner),
          anyOf: listOf(inner),
          allOf: listOf(inner),
          not: inner,
          discriminator: some({ propertyName: text, mapping: mapOf(text) }, 'propertyName'),
        }),
      ),
    };
  });
  return schema;
};

const MEDIA_TYPES = fc.oneof(
  fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain',
  ),
  fc.constantFrom('application/octet-stream', '*/*', 'text/*', 'application/problem+json', 'image/png'),
  text,
);

const partsOf = (names: readonly string[]) => {
  const schema = schemaOf(names);
  const orRef = (section: string, it: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 6, arbitrary: it }, { weight: 1, arbitrary: refTo(section, names) });
  const example = some({ summary: text, description: text, value: junk, externalValue: text });
  const styles = {
    style: fc.constantFrom(
      'form',
      'simple',
      'matrix',
      'label',
      'deepObject',
      'pipeDelimited',
      'spaceDelimited',
    ),
    explode: fc.boolean(),
    allowReserved: fc.boolean(),
  };
  const header = some({ description: text, schema, required: fc.boolean(), ...styles });
  const content = mapOf(
    some({
      schema,
      example: junk,
      examples: mapOf(orRef('examples', example)),
      encoding: mapOf(some({ contentType: text, headers: mapOf(header, text, 1), ...styles })),
    }),
    MEDIA_TYPES,
  );
  const parameter = some(
    {
      name: text,
      in: fc.constantFrom('query', 'header', 'path', 'cookie'),
      required: fc.boolean(),
      description: text,
      schema,
      content,
      example: junk,
      examples: mapOf(orRef('examples', example)),
      ...styles,
    },
    'name',
    'in',
  );
  const requestBody = some({ description: text, content, required: fc.boolean() }, 'content');
  const link = some({ operationId: text, operationRef: text, parameters: mapOf(junk), description: text });
  const response = some(
    {
      description: text,
      content,
      headers: mapOf(orRef('headers', header)),
      links: mapOf(link, text, 1),
    },
    'description',
  );
  const statuses = fc.oneof(fc.constantFrom('200', '201', '204', '400', '4XX', 'default', '307'), evil);
  const servers = listOf(
    some({ url: text, description: text, variables: mapOf(some({ default: text })) }),
    2,
  );
  const security = listOf(mapOf(listOf(text), fc.constantFrom(...names)), 2);
  const externalDocs = some({ url: text, description: text });
  const operation = some(
    {
      operationId: text,
      summary: text,
      description: text,
      tags: listOf(text),
      deprecated: fc.boolean(),
      parameters: listOf(orRef('parameters', parameter)),
      requestBody: orRef('requestBodies', requestBody),
      responses: mapOf(orRef('responses', response), statuses),
      security,
      servers,
      externalDocs,
      callbacks: mapOf(mapOf(some({ post: some({ requestBody }) }), text, 1), text, 1),
    },
    'responses',
  );
  const methods = Object.fromEntries(
    ['get', 'put', 'post', 'delete', 'head', 'patch'].map((it) => [it, operation]),
  );
  const item = some({
    ...methods,
    summary: text,
    parameters: listOf(orRef('parameters', parameter), 2),
    servers,
  });
  return {
    schema,
    header,
    example,
    parameter,
    requestBody,
    response,
    item,
    operation,
    servers,
    security,
    externalDocs,
  };
};

/** A contract whose components have these names. */
const documentOf = (names: readonly string[]): fc.Arbitrary<object> => {
  const parts = partsOf(names);
  const named = (value: fc.Arbitrary<unknown>) => mapOf(value, fc.constantFrom(...names));
  const path = fc
    .array(
      fc.oneof(
        text,
        text.map((it) => `{${it}}`),
      ),
      { maxLength: 3 },
    )
    .map((it) => `/${it.join('/')}`);
  const scheme = some(
    {
      type: fc.constantFrom('http', 'apiKey', 'oauth2', 'openIdConnect', 'mutualTLS'),
      scheme: fc.constantFrom('bearer', 'basic', 'Bearer', 'digest'),
      in: fc.constantFrom('header', 'query', 'cookie'),
      name: text,
      description: text,
      flows: mapOf(some({ tokenUrl: text, authorizationUrl: text, scopes: mapOf(text) }), text, 1),
      openIdConnectUrl: text,
    },
    'type',
    'in',
    'name',
    'scheme',
  );
  const address = some({ name: text, url: text, email: text, identifier: text });
  const info = some(
    {
      title: text,
      version: text,
      summary: text,
      description: text,
      termsOfService: text,
      contact: address,
      license: address,
    },
    'title',
    'version',
  );
  const components = some(
    {
      ...Object.fromEntries(SECTIONS.map((section) => [section, named(componentIn(section, parts))])),
      securitySchemes: named(scheme),
    },
    'schemas',
    'securitySchemes',
  );
  return fc
    .tuple(
      some(
        {
          openapi: fc.constantFrom('3.1.0', '3.0.3', '3.2.0'),
          info,
          paths: mapOf(parts.item, fc.oneof({ weight: 9, arbitrary: path }, { weight: 1, arbitrary: text })),
          webhooks: mapOf(parts.item, text, 1),
          components,
          servers: parts.servers,
          tags: listOf(some({ name: text, description: text, externalDocs: parts.externalDocs }), 2),
          security: parts.security,
          externalDocs: parts.externalDocs,
        },
        'openapi',
        'info',
        'paths',
        'components',
      ),
      fc.oneof(fc.constant({}), mapOf(parts.schema, fc.constantFrom(...names), 1)),
    )
    .map(([document, more]) => ({ ...more, ...document }));
};

const componentIn = (section: string, parts: ReturnType<typeof partsOf>): fc.Arbitrary<unknown> =>
  ({
    schemas: parts.schema,
    parameters: parts.parameter,
    responses: parts.response,
    requestBodies: parts.requestBody,
    headers: parts.header,
    examples: parts.example,
    pathItems: parts.item,
  })[section] ?? junk;

/** To prepare a contract takes long, so that there are a few sets of names, each prepared once. */
const SETS = fc.sample(fc.uniqueArray(text, { minLength: 2, maxLength: 4 }), { seed: 1, numRuns: 40 });
const documents = new Map<number, fc.Arbitrary<object>>();

/** Any hostile contract. */
export const hostileDocument: fc.Arbitrary<object> = fc.nat({ max: SETS.length - 1 }).chain((nth) => {
  const made = documents.get(nth) ?? documentOf(SETS[nth] ?? []);
  documents.set(nth, made);
  return made;
});
