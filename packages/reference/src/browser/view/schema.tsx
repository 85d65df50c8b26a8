import { useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { type Described, describeSchema, type Member } from '../contract/schema.ts';
import { Markdown } from '../parts/markdown.tsx';

/** More values are counted, not listed. */
const MOST_VALUES = 20;

const hasInside = ({ members, variants, others }: Described): boolean =>
  members.length + variants.length + others.length > 0;

/** The pointer of the object schema that has members: the schema itself, or the items of a list. */
const insideOf = (document: unknown, at: string): string | undefined => {
  let here: string | undefined = at;
  for (let depth = 0; here !== undefined && depth < 5; depth += 1) {
    const described: Described = describeSchema(document, here);
    if (hasInside(described)) return here;
    here = described.items;
  }
  return undefined;
};

/** The type of a schema, and its format. */
export const TypeName = ({ described: { type, format, values } }: { readonly described: Described }) => (
  <span class="type">
    {type === 'any' && values.length > 0 ? '' : type}
    {format && ` · ${format}`}
  </span>
);

/** Limits, listed values and examples of a schema. */
export const Details = ({ described }: { readonly described: Described }) => {
  const { facts, values, examples } = described;
  const more = values.length - MOST_VALUES;
  return (
    <>
      {facts.length > 0 && (
        <ul class="facts" aria-label="Limits">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      {values.length > 0 && (
        <p class="values">
          {values.length === 1 ? 'Always ' : 'Allowed: '}
          {values.slice(0, MOST_VALUES).map((value) => (
            <>
              <code key={value}>{value}</code>{' '}
            </>
          ))}
          {more > 0 && `and ${more} more`}
        </p>
      )}
      {examples.length > 0 && values.length === 0 && (
        <p class="values">
          Example <code>{examples[0]}</code>
        </p>
      )}
    </>
  );
};

const Nested = ({ at, type }: { readonly at: string; readonly type: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="nested" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{type}</summary>
      {isOpen && <SchemaView at={at} />}
    </details>
  );
};

const MemberRow = ({ name, at, isRequired }: Member) => {
  const { document } = useShared().contract;
  const described = describeSchema(document, at);
  const inside = insideOf(document, at);
  return (
    <li class="member">
      <p class="member-title">
        <code>{name}</code> <TypeName described={described} />
        {isRequired && <span class="required">required</span>}
        {described.marks.map((mark) => (
          <span class="mark" key={mark}>
            {mark}
          </span>
        ))}
      </p>
      <Markdown text={described.description} />
      <Details described={described} />
      {inside !== undefined && <Nested at={inside} type={`Members of ${name}`} />}
    </li>
  );
};

const Variants = ({ described }: { readonly described: Described }) => {
  const { variants, choice } = described;
  const [chosen, choose] = useState(0);
  const variant = variants[chosen];
  return (
    <div class="variants">
      <label class="choice">
        <span>{choice}</span>
        <select value={chosen} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
          {variants.map(({ name, at }, index) => (
            <option key={at} value={index}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {variant && <SchemaView key={variant.at} at={variant.at} isWhole />}
    </div>
  );
};

/** The members of a schema, and its alternatives. `isWhole` adds its own description and type. */
export const SchemaView = ({ at, isWhole = false }: { readonly at: string; readonly isWhole?: boolean }) => {
  const { document } = useShared().contract;
  const described = describeSchema(document, at);
  const { members, others, variants, items } = described;
  const inside =
    members.length + others.length + variants.length === 0 && items ? insideOf(document, items) : undefined;
  return (
    <div class="schema">
      {isWhole && <Markdown text={described.description} />}
      {isWhole && members.length === 0 && variants.length === 0 && <TypeName described={described} />}
      {isWhole && <Details described={described} />}
      {members.length + others.length > 0 && (
        <ul class="members">
          {members.map((member) => (
            <MemberRow key={member.name} {...member} />
          ))}
          {others.map((other) => (
            <MemberRow key={other.name} {...other} isRequired={false} />
          ))}
        </ul>
      )}
      {variants.length > 0 && <Variants described={described} />}
      {inside !== undefined && <SchemaView at={inside} />}
    </div>
  );
};
