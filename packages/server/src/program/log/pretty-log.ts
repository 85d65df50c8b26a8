/** Renders the JSON lines of the log for people: one short line a record, and the stack of an error below it. */
import { styleText } from 'node:util';
import { isTree, ownMember } from '@trellis/openapi/internal/json';
import { safeText } from '../../http/observe/request-log.ts';

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** The levels of pino that a line shows by name; info is not shown. */
const LEVELS: ReadonlyMap<unknown, readonly [name: string, style: Style]> = new Map([
  [10, ['trace', 'dim']],
  [20, ['debug', 'dim']],
  [40, ['warning', 'yellow']],
  [50, ['error', 'red']],
  [60, ['fatal', 'red']],
]);

/** How many characters of a text are shown, and how many lines of a stack. */
const LONGEST = 300;
const MOST_LINES = 40;

/** A value as a text that is safe on a terminal. */
const show = (value: unknown): string =>
  safeText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), LONGEST);

const timeOf = (time: unknown): string => new Date(Number(time)).toTimeString().slice(0, 8);

const styleOf = (status: number): Style => {
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
};

/** Methods and paths of this many characters keep the columns in line. */
const WIDTH = 24;

/** Below this level, a stack would only hide the lines around it. */
const ERROR = 50;

/** The stack of an unexpected error, indented. A Problem is expected: its message is enough. */
const stackOf = ({ level, err }: Readonly<Record<string, unknown>>, paint: Paint): string[] => {
  const stack = ownMember(err, 'stack');
  if (typeof stack !== 'string' || Number(level) < ERROR || ownMember(err, 'type') === 'Problem') return [];
  const lines = stack.split('\n').slice(0, MOST_LINES);
  return lines.map((line) => `  ${paint('dim', show(line))}`);
};

/** Renders a request line: the request, its status and duration, the client, and the cause of a failure. */
const renderRequest = (record: Readonly<Record<string, unknown>>, paint: Paint): string => {
  const { method, path, status, ms, who, error, reason, err, msg, requestId } = record;
  const isFine = typeof status === 'number' && status < 400;
  const target = `${show(method ?? '-').padEnd(6)} ${show(path ?? '')}`.padEnd(WIDTH);
  const cause = reason ?? ownMember(err, 'message');
  const why = [error, cause ?? (status === undefined ? msg : undefined)].filter((part) => part !== undefined);
  const parts = [
    target,
    typeof status === 'number' ? paint(styleOf(status), `${status}`) : paint('yellow', '---'),
    paint('dim', `${Number(ms).toFixed(1)} ms`.padStart(9)),
    ...(who === undefined ? [] : [paint('cyan', show(who))]),
    ...(why.length === 0 ? [] : [why.map(show).join(' ')]),
    ...(isFine ? [] : [paint('dim', show(requestId))]), // few readers look up a successful request
  ];
  return parts.join('  ');
};

const renderOther = (record: Readonly<Record<string, unknown>>, paint: Paint): string => {
  const { level, time: _time, msg, err, ...details } = record;
  const [name, style] = LEVELS.get(level) ?? [];
  const members = Object.entries(details).map(([key, value]) => paint('dim', `${show(key)}: ${show(value)}`));
  const message = [msg, ownMember(err, 'message')]
    .filter((part) => part !== undefined)
    .map(show)
    .join(': ');
  return [...(name && style ? [paint(style, name)] : []), message, ...members].join('  ');
};

/** Creates a function that renders JSON log lines for a terminal. Other lines are returned unchanged. */
export const createPrettyLines = (inColour: boolean): ((line: string) => string) => {
  const paint: Paint = (style, text) => (inColour ? styleText(style, text, { validateStream: false }) : text);
  const parse = (line: string): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      return undefined;
    }
  };
  return (line) => {
    const record = parse(line);
    if (!isTree(record)) return line;
    const text = record.requestId === undefined ? renderOther(record, paint) : renderRequest(record, paint);
    const stack = stackOf(record, paint);
    return `${[`${paint('dim', timeOf(record.time))}  ${text}`, ...stack].join('\n')}\n`;
  };
};
