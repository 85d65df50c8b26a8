/** An origin as a browser sends it: a host in lower case, and no port that its scheme implies. */
const parseOrigin = (text: string): string => {
  const isOrigin = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\]+$/i.test(text) && URL.canParse(text);
  if (!isOrigin || text.includes('*'))
    throw new Error(
      `CORS_ORIGINS must be * alone, or origins such as https://app.example, separated by commas, not "${text}"`,
    );
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin; // the standard gives other schemes than http(s) none
};

/** Parses `CORS_ORIGINS`. Throws an error that names the setting and the entry. */
export const parseOrigins = (text: string): readonly string[] =>
  text === '*' ? [text] : text.split(',').map((origin) => parseOrigin(origin.trim()));
