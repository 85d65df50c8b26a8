import { useEffect, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { NamedSchema } from '../contract/outline.ts';
import { SchemaView } from './schema.tsx';

/** A schema that has a name, folded unless it is wanted. */
export const NamedSchemaView = ({
  schema,
  isOpen,
}: {
  readonly schema: NamedSchema;
  readonly isOpen: boolean;
}) => {
  const [isShown, show] = useState(isOpen);
  useEffect(() => {
    if (isOpen) show(true);
  }, [isOpen]);
  return (
    <details
      class="named-schema"
      id={`schema/${schema.name}`}
      open={isShown}
      onToggle={({ currentTarget }) => show(currentTarget.open)}
    >
      <summary>
        <h3>{schema.name}</h3>
      </summary>
      {isShown && <SchemaView at={schema.at} isWhole />}
    </details>
  );
};

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
        <NamedSchemaView key={schema.name} schema={schema} isOpen={opened === `schema/${schema.name}`} />
      ))}
    </section>
  );
};
