const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Breaks JSON into lines and indents it. It moves the tokens of the text and never reads a number, so every digit stays as
 * it was sent. What is not JSON stays as it is.
 */
export const layoutJson = (text: string): string => {
  if (!isJson(text)) return text;
  let depth = 0;
  let before = '';
  const lines: string[] = [];
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isOpen = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      lines.push(isOpen ? token : newLine() + token);
    } else if (token === ',' || token === ':') lines.push(token === ':' ? ': ' : ',');
    else {
      lines.push(isOpen || before === ',' ? newLine() + token : token);
      if (token === '{' || token === '[') depth += 1;
    }
    before = token;
  }
  return lines.join('');
};
