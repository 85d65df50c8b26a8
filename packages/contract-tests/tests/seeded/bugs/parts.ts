import { type Candidates, station } from '../candidate.ts';
import type { StationVariant } from '../service/station.ts';
import { at, goOnWith, header, text } from './transfer.ts';

/** Changes the text of a reply in parts. */
const sends = (change: (text: string) => string, promise: RegExp) =>
  station(text('/parts', change), 'readParts', promise);

const names = (boundary: string, promise?: RegExp) =>
  station(at('/parts', header('Content-Type', `multipart/related${boundary}`)), 'readParts', promise);

/** What goes wrong in a reply that has parts without names. */
export const PARTS_OUT_BUGS: Candidates = {
  'forgets the last delimiter of its parts': sends(
    (body) => body.replace('--part--\r\n', ''),
    /the body does not end with its last delimiter --part--/,
  ),
  'cuts the last delimiter of its parts short': sends(
    (body) => body.replace('--part--\r\n', '--part'),
    /the body does not end with its last delimiter --part--/,
  ),
  'names no boundary': names('', /Content-Type names no boundary/),
  'names another boundary than it writes': names(
    '; boundary=x',
    /no line of the body begins with its boundary --x/,
  ),
  'names an invalid boundary': names('; boundary="a;b"', /"a;b" cannot be a boundary/),
  'ends the lines of its parts with line feeds': sends(
    (body) => body.replaceAll('\r\n', '\n'),
    /does not end with its last delimiter|no line of the body begins/,
  ),
  'forgets the empty line after the head of a part': sends(
    (body) => body.replace('\r\n\r\n{', '\r\n{'),
    /part 1 of the body: a line of its head is no header field/,
  ),
  'sends a wrong value in its first part': sends(
    (body) => body.replace('"at":1', '"at":"1"'),
    /part 1 of the body\/at must be integer/,
  ),
  'sends a first part that is no JSON': sends(
    (body) => body.replace('{"at":1}', '{at:1}'),
    /part 1 of the body is not JSON/,
  ),
  'sends too long a text in its last part': sends(
    (body) => body.replace('märz', 'märz '.repeat(5)),
    /part 3 of the body must NOT have more than 20 characters/,
  ),
  'sends a part in another media type': sends(
    (body) => body.replace('application/json', 'text/json5'),
    /part 1 of the body: Content-Type text\/json5, which is not declared, but application\/json/,
  ),
  'omits the media type of its first part': sends(
    (body) => body.replace('Content-Type: application/json\r\n', ''),
    /part 1 of the body: Content-Type missing/,
  ),
  'forgets a header field of a part': sends(
    (body) => body.replace('Content-ID: <2>\r\n', ''),
    /part 3 of the body: the header Content-ID is missing/,
  ),
  'sends a wrong header field in a part': sends(
    (body) => body.replace('<1>', '1'),
    /part 2 of the body: the header Content-ID must match pattern/,
  ),
  'sends one part where there are two at least': sends(
    (body) => `${body.split('\r\n--part')[0]}\r\n--part--\r\n`,
    /the body must NOT have fewer than 2 items/,
  ),
  'sends a wrong part after right ones, without an end': station(
    at('/parts', ({ body }) => ({
      body: `${body}`.replace('--part--\r\n', '--part\r\nContent-Type: image/png\r\n\r\n!\r\n--part\r\n'),
      goOn: () => {},
    })),
    'readParts',
    /part 4 of the body: Content-Type image\/png/,
  ),
};

/** Takes a body that it should refuse, if it holds a text or lacks one. */
const takes = (isTaken: (body: string) => boolean, promise: RegExp) => {
  const variant: StationVariant = {
    answers: (right, { path, pieces }) =>
      path === '/parts' && right.status === 400 && isTaken(Buffer.concat(pieces).toString())
        ? { status: 200, headers: { 'Content-Type': 'application/json' }, body: '1' }
        : right,
  };
  return station(variant, 'sendParts', promise);
};

/** Answers a right request in another way, if its body has something. */
const answers = (status: number, isMeant: (body: string) => boolean, promise: RegExp) => {
  const variant: StationVariant = {
    answers: (right, { path, pieces }) =>
      path === '/parts' &&
      right.status === 200 &&
      pieces.length > 0 &&
      isMeant(Buffer.concat(pieces).toString())
        ? { ...right, status, body: '{}' }
        : right,
  };
  return station(variant, 'sendParts', promise);
};

const partsIn = (body: string): string[] => body.split('--contract-tests-boundary\r\n').slice(1);

/** What goes wrong with a request that has parts without names. */
export const PARTS_IN_BUGS: Candidates = {
  'takes parts without their last delimiter': takes(
    (body) => body !== '' && !body.includes('boundary--') && !body.includes('other'),
    /without its last delimiter/,
  ),
  'takes parts with another boundary': takes(
    (body) => body.includes('--other'),
    /with another boundary than it names/,
  ),
  'does not look at its first part': takes(
    (body) =>
      partsIn(body).length > 1 &&
      body.includes('boundary--') &&
      !partsIn(body)
        .slice(1)
        .some((part) => part.length > 80),
    /sendParts.*body\[0\]/s,
  ),
  'does not look at all but its first part': takes(
    (body) =>
      /\{"at":-?\d+[,}]/.test(partsIn(body)[0] ?? '') &&
      body.includes('boundary--') &&
      partsIn(body).length > 1,
    /sendParts.*body\[\d\]/s,
  ),
  'takes a single part': takes(
    (body) => partsIn(body).length === 1 && body.includes('boundary--'),
    /sendParts/,
  ),
  'takes no third part': answers(
    400,
    (body) => partsIn(body).length > 2,
    /a valid request was refused with 400/,
  ),
  'fails on an empty part': answers(
    500,
    (body) => body.includes('\r\n\r\n\r\n--'),
    /status 500: the service failed/,
  ),
};

/** Right stations: "a service that …" keeps its contract. */
export const PARTS_MANNERS: Candidates = {
  'sends a text before its parts and one after them': station(
    text('/parts', (body) => `For mail.\r\n${body}--part, which is over.`),
    'readParts',
  ),
  'quotes its boundary, with spaces behind it in the body': station(
    at('/parts', ({ headers, body }) => ({
      headers: { ...headers, 'Content-Type': 'multipart/related; type="application/json"; Boundary="part"' },
      body: `${body}`.replaceAll('--part\r\n', '--part \t\r\n'),
    })),
    'readParts',
  ),
  'folds the header fields of its parts, in lower case': station(
    text('/parts', (body) => body.replaceAll('Content-ID: ', 'content-id:\r\n ')),
    'readParts',
  ),
  'sends a part in base64': station(
    text('/parts', (body) =>
      body.replace('\r\n\r\nsunny', '\r\nContent-Transfer-Encoding: base64\r\n\r\nc3Vu\r\nbnk='),
    ),
    'readParts',
  ),
  'sends no byte in its last part': station(
    text('/parts', (body) => body.replace('märz', '')),
    'readParts',
  ),
  'sends its parts slowly': station(
    at('/parts', ({ body }) => ({
      body: `${body}`.replace('--part--\r\n', ''),
      goOn: goOnWith('--part\r\nContent-Type: text/plain\r\nContent-ID: <n>\r\n\r\nrain\r\n'),
    })),
    'readParts',
  ),
  'takes parts by position': station({}, 'sendParts'),
};
