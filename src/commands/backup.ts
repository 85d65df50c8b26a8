import { backUpStore } from '../store.ts';
import { CLEAR, grouped, type Screen } from './progress.ts';

const MEBIBYTE = 2 ** 20;

/** Copies a store into a file and describes the copy. Shows progress on a terminal. */
export const backUpPlants = async (
  databaseUrl: string,
  file: string,
  screen: Screen,
  signal: AbortSignal,
): Promise<string> => {
  const draw = (bytes: number, total: number): void => {
    screen.write(`${CLEAR}${grouped(bytes / MEBIBYTE)} MiB of about ${grouped(total / MEBIBYTE)}`);
  };
  const began = performance.now();
  try {
    const onProgress = screen.isTTY ? draw : undefined;
    const { rows, bytes } = await backUpStore(databaseUrl, { file, signal, onProgress });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    return `${file}: ${grouped(rows)} plants, ${grouped(bytes)} bytes, in ${seconds} s`;
  } finally {
    if (screen.isTTY) screen.write(CLEAR);
  }
};
