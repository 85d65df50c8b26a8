/** The languages that the page shows. */
export type Language = 'json' | 'shell' | 'typescript' | 'python' | 'text';

/** A piece of text and its kind. */
export interface Token {
  readonly kind: 'plain' | 'key' | 'string' | 'number' | 'word' | 'comment';
  readonly text: string;
}

const DOUBLE = String.raw`"[^"\\\n]*(?:\\.[^"\\\n]*)*"`;
const SINGLE = String.raw`'[^'\\\n]*(?:\\.[^'\\\n]*)*'`;
const NUMBER = String.raw`(?<![\w.])-?\d[\d.]*(?:[eE][+-]?\d+)?n?\b`;

const compile = (parts: Readonly<Partial<Record<Token['kind'], string>>>): RegExp =>
  new RegExp(
    Object.entries(parts)
      .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
      .join('|'),
    'g',
  );

const PATTERNS: Readonly<Record<Language, RegExp | undefined>> = {
  json: compile({
    key: `${DOUBLE}(?=\\s*:)`,
    string: DOUBLE,
    number: NUMBER,
    word: String.raw`\b(?:true|false|null)\b`,
  }),
  // In a shell a backslash means nothing inside single quotes, and a text may have several lines.
  shell: compile({ string: "'[^']*'", word: String.raw`\bcurl\b|(?<=\s)--?[\w-]+` }),
  typescript: compile({
    comment: '//[^\n]*',
    string: SINGLE,
    number: NUMBER,
    word: String.raw`\b(?:import|from|const|await|new|true|false|null)\b`,
  }),
  python: compile({
    comment: '#[^\n]*',
    string: DOUBLE,
    number: NUMBER,
    word: String.raw`\b(?:import|with|as|open|print|True|False|None)\b`,
  }),
  text: undefined,
};

/** A longer text is shown in one colour: each token becomes an element of the page. */
const LONGEST = 100_000;

const kindOf = (groups: Readonly<Record<string, string | undefined>>): Token['kind'] =>
  (['key', 'string', 'number', 'word', 'comment'] as const).find((kind) => groups[kind] !== undefined) ??
  'plain';

/** Splits code into tokens; together they are the code again. */
export const highlight = (code: string, language: Language): Token[] => {
  const pattern = PATTERNS[language];
  if (!pattern || code.length > LONGEST) return [{ kind: 'plain', text: code }];
  const tokens: Token[] = [];
  let end = 0;
  for (const { index, groups = {}, 0: text } of code.matchAll(pattern)) {
    if (index > end) tokens.push({ kind: 'plain', text: code.slice(end, index) });
    tokens.push({ kind: kindOf(groups), text });
    end = index + text.length;
  }
  return [...tokens, { kind: 'plain', text: code.slice(end) }];
};
