import { crc32, deflateSync } from 'node:zlib';
import qrcode from 'qrcode-generator';

/** The pixels of each module of the code, and the modules of the white border around it. */
const SCALE = 4;
const BORDER = 4;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A chunk of a PNG: its length, its type, its data, and a checksum of both (PNG specification, section 5.3). */
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(data.length);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
};

/** Draws a text as a QR code, in a PNG with eight bits of grey for each pixel. */
export const drawCode = (text: string): Buffer => {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const modules = code.getModuleCount();
  const size = (modules + 2 * BORDER) * SCALE;
  const isDark = (pixelRow: number, pixelColumn: number): boolean => {
    const [row, column] = [pixelRow, pixelColumn].map((pixel) => Math.floor(pixel / SCALE) - BORDER);
    const isInside = (at = -1) => at >= 0 && at < modules;
    return isInside(row) && isInside(column) && code.isDark(row ?? 0, column ?? 0);
  };
  const lines = Array.from({ length: size }, (_, row) =>
    Buffer.from([0, ...Array.from({ length: size }, (_, column) => (isDark(row, column) ? 0 : 255))]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size);
  header.writeUInt32BE(size, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
