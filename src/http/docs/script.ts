/**
 * What runs in the browser beside Swagger UI.
 *
 * Swagger UI parses and writes JSON with the browser's own means, which round integers above 2^53. On this page such an
 * integer is parsed as a string with an invisible mark before its digits, and a marked string is written as the bare
 * digits. A browser that does not tell how a number was written rounds examples and shown replies as ever; what is
 * typed is sent as it was typed in any case.
 */
export const SCRIPT = `'use strict';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

const MARK = '\\u2063';
const { parse, stringify } = JSON;
const exact = (_key, value, context) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\\d+$/.test(context?.source)
    ? MARK + context.source
    : value;
JSON.parse = (text, reviver = exact) => parse(text, reviver);
JSON.stringify = (...values) => stringify(...values)?.replace(/"\\u2063(-?\\d+)"/g, '$1');

// Swagger UI computes with limits, and puts what a parameter (it has \`in\`) defaults to into a field, where digits are text.
const LIMIT = /^(?:(?:exclusive)?m(?:in|ax)imum|multipleOf)$/i;
const parseContract = (text) =>
  parse(text, (key, value, context) => {
    if (LIMIT.test(key)) return value;
    if (typeof value?.in === 'string') return parse(stringify(value).replaceAll(MARK, ''));
    return exact(key, value, context);
  });

const exactContract = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (_original, { specActions }) => (text) => specActions.updateJsonSpec(parseContract(text)),
      },
    },
  },
});

SwaggerUIBundle({
  dom_id: '#reference',
  url: new URL('openapi.json', document.baseURI).href,
  plugins: [exactContract],
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
