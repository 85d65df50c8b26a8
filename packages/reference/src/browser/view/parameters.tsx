import { useShared } from '../context.ts';
import type { Parameter } from '../contract/operation.ts';
import { describeSchema } from '../contract/schema.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Details, SchemaView, TypeName } from './schema.tsx';

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
        {described?.marks.map((mark) => (
          <span class="mark" key={mark}>
            {mark}
          </span>
        ))}
      </p>
      <Markdown text={description || (described?.description ?? '')} />
      {described && <Details described={described} />}
      {parameter.whole && schemaAt !== undefined && <SchemaView at={schemaAt} />}
    </li>
  );
};

/** Parameters with their types and limits. */
export const ParameterList = ({
  title,
  parameters,
}: {
  readonly title: string;
  readonly parameters: readonly Parameter[];
}) => (
  <section class="block">
    <h4>{title}</h4>
    <ul class="members">
      {parameters.map((parameter) => (
        <ParameterRow key={parameter.name} parameter={parameter} />
      ))}
    </ul>
  </section>
);
