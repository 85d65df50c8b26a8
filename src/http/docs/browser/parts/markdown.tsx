import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Text of the contract, in CommonMark with tables (OAS 3.1, section 4.4). micromark writes HTML in it as text, and leaves
 * out links that would run a script.
 */
export const Markdown = ({ text }: { readonly text: string }) => {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const html = micromark(text, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] });
    place.current?.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
  }, [text]);
  return text === '' ? null : <div class="markdown" ref={place} />;
};
