/** The protocols that links in a contract may use. */
const PROTOCOLS = ['http:', 'https:', 'mailto:'];

/** Whether a link may have this address. Others, such as `javascript:`, are shown as text. */
export const isLink = (address: string): boolean =>
  URL.canParse(address, document.baseURI) && PROTOCOLS.includes(new URL(address, document.baseURI).protocol);
