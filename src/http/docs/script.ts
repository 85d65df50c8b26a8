/**
 * The script that runs in the browser beside Swagger UI.
 *
 * Swagger UI uses the browser's JSON functions, which round integers above 2^53. On this page such an integer is parsed
 * into a string with an invisible mark before its digits, and a marked string is written as the bare digits. A browser
 * without source text access in `JSON.parse` still rounds examples and replies on display. What the user types is
 * always sent as typed.
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

// Swagger UI computes with limits, which stay numbers. It shows the defaults of parameters (they have \`in\`) in fields, unmarked.
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
