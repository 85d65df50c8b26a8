/** One figure: its name, its labels and its value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/g;

const parseValue = (text: string): number => {
  const value = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
  if (Number.isNaN(value) && text !== 'Nan' && text !== 'NaN') throw new Error(`not a value: ${text}`);
  return value;
};

/**
 * Parses the text format of Prometheus, version 0.0.4. Throws for a malformed line, a metric without a type before it,
 * and a duplicate sample.
 */
export const parseExposition = (text: string): { types: Map<string, string>; samples: Sample[] } => {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? [];
    if (declared !== undefined && type !== undefined) {
      if (types.has(declared)) throw new Error(`two types: ${line}`);
      types.set(declared, type);
    } else if (line !== '' && !line.startsWith('# HELP ')) {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
      if (!types.has(family)) throw new Error(`no figure, or one without its type: ${line}`);
      const key = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(key)) throw new Error(`twice: ${line}`);
      seen.add(key);
      samples.push({
        name,
        labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label, text]) => [label, text])),
        value: parseValue(value),
      });
    }
  }
  return { types, samples };
};

/** Scrapes /metrics of a service. */
export const scrape = async ({ url }: { url: string }) =>
  parseExposition(await (await fetch(`${url}/metrics`)).text()).samples;

/** The figures of one name, as text of their labels and a value. */
export const figures = (samples: readonly Sample[], name: string): Record<string, number> =>
  Object.fromEntries(
    samples
      .filter((sample) => sample.name === name)
      .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
  );
