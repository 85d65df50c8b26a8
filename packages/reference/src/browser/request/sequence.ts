/** The items of a streamed reply that have arrived. */
export interface Arrived {
  /** The end of it, as text. */
  readonly text: string;
  readonly bytes: number;
  /** Its state; empty once it is complete. */
  readonly progress: '' | 'arriving' | 'stopped' | 'cut off';
}

/** The number of characters shown, from the end: a stream may be endless. */
const MOST_SHOWN = 32_768;

/** Milliseconds between two renderings, however many items arrive. */
const PAUSE = 100;

/** The end of a text, from the start of a line if there is one; without the separators of records (RFC 7464). */
const endOf = (text: string): string => {
  const isWhole = text.length <= MOST_SHOWN;
  const end = isWhole ? text : `…\n${text.slice(-MOST_SHOWN).replace(/^[^\n]*\n+(?=[^\n])/, '')}`;
  return end.replaceAll('\u001e', '');
};

/** Reads a reply until it ends or is stopped, and reports items as they arrive. */
export const readSequence = async (
  { body }: Response,
  signal: AbortSignal,
  tell: (arrived: Arrived) => void,
): Promise<Arrived> => {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arrived = (progress: Arrived['progress']): Arrived => ({ text: endOf(text), bytes, progress });
  const tellNow = (): void => {
    timer = undefined;
    tell(arrived('arriving'));
  };
  tellNow();
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      bytes += read.value.length;
      text += decoder.decode(read.value, { stream: true });
      if (text.length > 4 * MOST_SHOWN) text = text.slice(-2 * MOST_SHOWN);
      timer ??= setTimeout(tellNow, PAUSE);
    }
    return arrived('');
  } catch {
    return arrived(signal.aborted ? 'stopped' : 'cut off');
  } finally {
    clearTimeout(timer);
  }
};
