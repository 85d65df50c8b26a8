import { ownMember } from '@trellis/openapi/internal/json';
import { useShared } from '../context.ts';
import { textAt } from '../contract/outline.ts';
import { Authentication } from '../panel/authentication.tsx';
import { isLink, Markdown } from '../parts/markdown.tsx';

const Facts = ({ info }: { readonly info: unknown }) => {
  const licence = ownMember(info, 'license');
  const contact = ownMember(info, 'contact');
  const email = textAt(contact, 'email');
  const contactUrl = textAt(contact, 'url') || (email && `mailto:${email}`);
  const licenceUrl = textAt(licence, 'url');
  const licenceName = textAt(licence, 'name');
  const terms = textAt(info, 'termsOfService');
  const links = [
    [licenceUrl, (licenceUrl || licenceName) && `${licenceName} licence`],
    [contactUrl, contactUrl && (textAt(contact, 'name') || 'Contact')],
    [terms, terms && 'Terms of service'],
    ['openapi.json', 'openapi.json'],
    ['openapi.yaml', 'openapi.yaml'],
  ] as const;
  return (
    <ul class="links">
      {links.map(
        ([url, text]) => text && <li key={text}>{url && isLink(url) ? <a href={url}>{text}</a> : text}</li>,
      )}
    </ul>
  );
};

const Contents = () => {
  const { contract } = useShared();
  return (
    <div class="contents">
      {contract.groups.map(
        ({ name, title, description, operations: [first, ...more] }) =>
          first && (
            <a class="card" href={`#operation/${encodeURIComponent(first.id)}`} key={name}>
              <strong>{title}</strong>
              <span>{more.length === 0 ? '1 operation' : `${more.length + 1} operations`}</span>
              <p>{description.split('\n')[0]}</p>
            </a>
          ),
      )}
    </div>
  );
};

/** The title and the description of the contract, and the credentials. `isAlone` adds a list of the tags. */
export const Overview = ({ isAlone = false }: { readonly isAlone?: boolean }) => {
  const { contract } = useShared();
  const info = ownMember(contract.document, 'info');
  const summary = textAt(info, 'summary');
  return (
    <section
      class={contract.schemes.length > 0 ? 'overview columns' : 'overview columns alone'}
      id="overview"
      aria-label="Overview"
    >
      <div class="about">
        <h1>
          {textAt(info, 'title')} <small>{textAt(info, 'version')}</small>
        </h1>
        {summary && <p class="lead">{summary}</p>}
        <Markdown text={textAt(info, 'description')} />
        <Facts info={info} />
        {isAlone && <Contents />}
      </div>
      {contract.schemes.length > 0 && (
        <div class="panel">
          <div class="card">
            <h2 class="card-title">Authentication</h2>
            <Authentication schemes={contract.schemes} />
          </div>
        </div>
      )}
    </section>
  );
};
