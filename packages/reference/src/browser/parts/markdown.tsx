import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The protocols that links in a contract may use. */
const PROTOCOLS = ['http:', 'https:', 'mailto:'];

/** Whether a link may have this address. Others, such as `javascript:`, are shown as text. */
export const isLink = (address: string): boolean =>
  URL.canParse(address, document.baseURI) && PROTOCOLS.includes(new URL(address, document.baseURI).protocol);

/** Replaces links and images with unsafe URLs by their text. micromark empties most of them. */
const withoutOddLinks = (body: HTMLElement): HTMLElement => {
  for (const link of body.querySelectorAll('a'))
    if (!isLink(link.getAttribute('href') || 'none:')) link.replaceWith(...link.childNodes);
  for (const picture of body.querySelectorAll('img'))
    if (!isLink(picture.getAttribute('src') || 'none:')) picture.replaceWith(picture.alt);
  return body;
};

/** Text of the contract, in CommonMark with tables (OAS 3.1, section 4.4). micromark writes HTML in it as text. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const html = micromark(text, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] });
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    place.current?.replaceChildren(...withoutOddLinks(body).childNodes);
  }, [text]);
  return text === '' ? null : <div class="markdown" ref={place} />;
};
