import { useShared } from '../context.ts';
import type { Link } from '../contract/links.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Method } from '../parts/method.tsx';

const LinkView = ({ link }: { readonly link: Link }) => {
  const { groups } = useShared().contract;
  const target = groups
    .flatMap(({ operations }) => operations)
    .find(({ id, at }) => id === link.operationId || at === link.operationAt);
  return (
    <details class="answer">
      <summary>
        <code>{link.name}</code> <span class="short">{target?.title ?? link.operationId}</span>
      </summary>
      <div class="answer-body">
        <Markdown text={link.description} />
        {target && (
          <p class="endpoint">
            <Method name={target.method} />{' '}
            <a href={`#operation/${encodeURIComponent(target.id)}`}>
              <code>{target.path}</code>
            </a>
          </p>
        )}
        <ul class="members">
          {link.values.map(({ name, from }) => (
            <li class="member" key={name}>
              <p class="member-title">
                <code>{name}</code> <span class="type">{from}</span>
              </p>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
};

/** What can be called after a reply, folded. */
export const Links = ({ links }: { readonly links: readonly Link[] }) => (
  <section class="block links-after">
    <h4>Links</h4>
    {links.map((link) => (
      <LinkView key={link.name} link={link} />
    ))}
  </section>
);
