/** The API reference: a page that is made from the contract of the service, in the browser. */
import { withoutAdditional } from '@trellis/openapi/internal/document';
import { render } from 'preact';
import './style/style.css';
import { parseExact } from '@trellis/openapi/internal/json';
import { App } from './app.tsx';
import type { Contract } from './contract/contract.ts';
import { groupsOf, schemasOf, webhooksOf } from './contract/outline.ts';
import { schemesOf } from './contract/security.ts';

const loadContract = async (): Promise<Contract> => {
  const url = new URL('openapi.json', document.baseURI).href;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const contract = withoutAdditional(parseExact(await response.text()));
  return {
    document: contract,
    url,
    groups: groupsOf(contract),
    webhooks: webhooksOf(contract),
    schemas: schemasOf(contract),
    schemes: schemesOf(contract),
  };
};

const place = document.querySelector('#reference');
if (place)
  loadContract().then(
    (contract) => {
      place.replaceChildren();
      render(<App contract={contract} />, place);
    },
    (error: unknown) => {
      place.textContent = `The contract cannot be shown: ${error instanceof Error ? error.message : error}`;
    },
  );
