import { useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Parameter } from '../contract/operation.ts';
import type { NamedSchema } from '../contract/outline.ts';
import { type Described, describeSchema, type Member } from '../contract/schema.ts';
import { Choice } from '../parts/choice.tsx';
import { Fold } from '../parts/fold.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Marks } from '../parts/marks.tsx';

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

const TypeName = ({ described: { type, format, values } }: { readonly described: Described }) => (
  <span class="type">
    {type === 'any' && values.length > 0 ? '' : type}
    {format && ` · ${format}`}
  </span>
);

/** Limits, listed values and examples of a schema. */
const Details = ({ described }: { readonly described: Described }) => {
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

const MemberRow = ({ name, at, isRequired }: Member) => {
  const { document } = useShared().contract;
  const described = describeSchema(document, at);
  const inside = insideOf(document, at);
  return (
    <li class="member">
      <p class="member-title">
        <code>{name}</code> <TypeName described={described} />
        {isRequired && <span class="required">required</span>}
        <Marks marks={described.marks} />
      </p>
      <Markdown text={described.description} />
      <Details described={described} />
      {inside !== undefined && (
        <Fold class="nested" title={`Members of ${name}`}>
          <SchemaView at={inside} />
        </Fold>
      )}
    </li>
  );
};

const Variants = ({ described }: { readonly described: Described }) => {
  const { variants, choice } = described;
  const [chosen, choose] = useState(0);
  const variant = variants[chosen];
  return (
    <div class="variants">
      <Choice label={choice} names={variants.map(({ name }) => name)} chosen={chosen} choose={choose} />
      {variant && <SchemaView key={variant.at} at={variant.at} isWhole />}
    </div>
  );
};

/** The members of a schema, and its alternatives. `isWhole` adds its own description and type. */
export const SchemaView = ({ at, isWhole = false }: { readonly at: string; readonly isWhole?: boolean }) => {
  const { document } = useShared().contract;
  const described = describeSchema(document, at);
  const { members, others, variants, items } = described;
  const inside = items && !hasInside(described) ? insideOf(document, items) : undefined;
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

/** A schema that has a name, folded unless it is wanted. */
export const NamedSchemaView = ({ name, at, isOpen }: NamedSchema & { readonly isOpen: boolean }) => (
  <Fold class="named-schema" id={`schema/${name}`} title={<h3>{name}</h3>} isOpen={isOpen}>
    <SchemaView at={at} isWhole />
  </Fold>
);

/** All schemas that have a name. */
export const SchemaList = ({ opened }: { readonly opened: string }) => {
  const { schemas } = useShared().contract;
  if (schemas.length === 0) return null;
  return (
    <section class="group schema-list" id="schemas" aria-label="Schemas">
      <div class="group-title">
        <h2>Schemas</h2>
      </div>
      {schemas.map((schema) => (
        <NamedSchemaView key={schema.name} {...schema} isOpen={opened === `schema/${schema.name}`} />
      ))}
    </section>
  );
};

const ParameterRow = ({ parameter }: { readonly parameter: Parameter }) => {
  const { document } = useShared().contract;
  const { name, isRequired, schemaAt, description } = parameter;
  const described = schemaAt === undefined ? undefined : describeSchema(document, schemaAt);
  return (
    <li class="member">
      <p class="member-title">
        <code>{name}</code> {described && <TypeName described={described} />}
        {parameter.whole && <span class="mark">the whole query</span>}
        {isRequired && <span class="required">required</span>}
        {described && <Marks marks={described.marks} />}
      </p>
      <Markdown text={description || (described?.description ?? '')} />
      {described && <Details described={described} />}
      {parameter.whole && schemaAt !== undefined && <SchemaView at={schemaAt} />}
    </li>
  );
};

interface ParameterListProps {
  readonly title: string;
  readonly parameters: readonly Parameter[];
}

/** Parameters with their types and limits. */
export const ParameterList = ({ title, parameters }: ParameterListProps) => (
  <section class="block">
    <h4>{title}</h4>
    <ul class="members">
      {parameters.map((parameter) => (
        <ParameterRow key={parameter.name} parameter={parameter} />
      ))}
    </ul>
  </section>
);
