import {
  addPart,
  type Encode,
  type EncodeStep,
  encodeAny,
  encodeItems,
  encodeMembers,
  endDraft,
  isTree,
  ownMember,
  startDraft,
  writeWhole,
  writtenValue,
} from '@trellis/openapi/internal/json';
import { createSteps, type Declared } from './declared.ts';

/** Called once with each member of a reply that is not sent, and with the pointer of the schema of its object. */
type ReportDropped = (schemaAt: string, name: string) => void;

/** How many members of a schema are remembered, so that each is reported once. */
const MOST_KNOWN = 1000;

const prefixOf = (name: string): string => `${JSON.stringify(name)}:`;

/** Makes the same step, which also reports the members that it does not write. */
const reporting = (
  encode: EncodeStep,
  { pointers, members, otherOf }: Declared<EncodeStep>,
  report: ReportDropped,
): EncodeStep => {
  const known = new Set<string>();
  return (given) => {
    const value = writtenValue(given);
    if (isTree(value) && !Array.isArray(value))
      for (const [name, member] of Object.entries(value)) {
        const isWritten = members.has(name) ? members.get(name) : otherOf?.(name);
        if (isWritten || member === undefined || known.has(name)) continue;
        if (known.size === MOST_KNOWN) known.clear();
        known.add(name);
        report(pointers.join(' and '), name);
      }
    return encode(value);
  };
};

/** Makes the step that writes the declared parts of a value. */
const encodeDeclared = ({ members, otherOf, itemOf }: Declared<EncodeStep>): EncodeStep => {
  const named = [...members].flatMap(([name, encode]) =>
    encode ? [[name, prefixOf(name), encode] as const] : [],
  );

  /** The usual case, without any allocation but the text. */
  const encodeNamed = (value: Record<string, unknown>) => {
    const draft = startDraft('{');
    for (const [name, prefix, encode] of named) {
      const member = ownMember(value, name);
      // Whatever its schema says, a scalar is written the same way.
      if (member !== undefined) addPart(draft, prefix, isTree(member) ? encode : encodeAny, member);
    }
    return endDraft(draft, '}');
  };

  return (given) => {
    const value = writtenValue(given);
    if (!isTree(value)) return encodeAny(value);
    if (Array.isArray(value)) return encodeItems(value, itemOf);
    if (!otherOf) return encodeNamed(value);
    const declared = named.map(([name, before, encode]) => [before, ownMember(value, name), encode] as const);
    const others = Object.keys(value).flatMap((name) => {
      const encode = members.has(name) ? undefined : otherOf(name);
      return encode ? [[prefixOf(name), value[name], encode] as const] : [];
    });
    return encodeMembers([...declared, ...others]);
  };
};

/**
 * Compiles how values of a schema are written: with the members that it declares, and no others. So a stored id cannot leak
 * into a reply that does not declare it, and a `writeOnly` member never leaks.
 */
export const createReplyEncoder = (document: unknown, report?: ReportDropped) => {
  const stepAt = createSteps<EncodeStep>(document, 'reply', {
    any: encodeAny,
    later: (compile) => {
      let step: EncodeStep | undefined;
      return (value) => {
        step ??= compile();
        return step(value);
      };
    },
    select: (property, stepOf) => (given) => {
      const value = writtenValue(given);
      return stepOf(ownMember(value, property))(value);
    },
    make: (declared) => {
      const encode = encodeDeclared(declared);
      return report ? reporting(encode, declared, report) : encode;
    },
  });
  return (pointer: string): Encode => {
    const encode = stepAt(pointer);
    return (value) => writeWhole(encode, value);
  };
};
