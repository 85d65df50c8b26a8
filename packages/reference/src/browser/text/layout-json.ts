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
 * Breaks JSON into lines and indents it. It moves tokens and never parses a number, so every digit is kept. Text that
 * is not JSON is returned unchanged.
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
