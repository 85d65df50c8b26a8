import { useEffect, useState } from 'preact/hooks';
import { highlight, type Language } from '../text/highlight.ts';

/** A button that copies a text. */
export const Copy = ({ text }: { readonly text: string }) => {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = isCopied ? setTimeout(() => setCopied(false), 1500) : undefined;
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
};

interface Props {
  readonly text: string;
  readonly language: Language;
  readonly label: string;
}

/** Code with colours. */
export const Code = ({ text, language, label }: Props) => (
  <section class="code" aria-label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
    <pre tabIndex={0}>
      <code>
        {highlight(text, language).map(({ kind, text }) =>
          kind === 'plain' ? text : <span class={kind}>{text}</span>,
        )}
      </code>
    </pre>
  </section>
);
