import { relative } from 'node:path';
import ts from 'typescript';

/** The longest reason, in characters: types can be long. */
const LONGEST = 400;

/** The messages of a chain, from what is wrong to why; of several reasons the first. */
const chainOf = (message: string | ts.DiagnosticMessageChain): string[] => {
  if (typeof message === 'string') return [message];
  const [next] = message.next ?? [];
  return [message.messageText, ...(next ? chainOf(next) : [])];
};

/** A reply whose status is not that of the declared reply which TypeScript compares it with. */
const OTHER_STATUS = /\{ (?:readonly )?status: (\d+);.* type 'Reply\w+<.*, (\d+)>'/;

/** The status of a reply that the operation does not declare. TypeScript names some other reply that is not like it. */
const undeclaredStatus = (chain: readonly string[]): string | undefined =>
  chain
    .map((message) => (message.includes(' | ') ? null : OTHER_STATUS.exec(message)))
    .find((match) => match && match[1] !== match[2])?.[1];

/** The messages of a chain that say where it does not fit. */
const PLACE = /^(?:The types|Types) of /;

/** The cause: the last message of the chain, after the last that says where. The others repeat whole types. */
const causeOf = (chain: readonly string[]): string => {
  const status = undeclaredStatus(chain);
  if (status !== undefined) return `The operation does not declare status ${status}.`;
  const last = chain.at(-1) ?? '';
  const place = chain.slice(0, -1).findLast((message) => PLACE.test(message));
  return place === undefined ? last : `${place} ${last}`;
};

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST / 2)}…${text.slice(-LONGEST / 2)}` : text;

const describe = ({ file, start = 0, messageText }: ts.Diagnostic): string => {
  const cause = shorten(causeOf(chainOf(messageText)));
  if (!file) return cause;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  return `${relative('.', file.fileName)}:${line + 1}:${character + 1} ${cause}`;
};

/** Makes hosts of the compiler that parse a file again only if it has changed. */
const createHosts = () => {
  const parsed = new Map<string, { readonly changed: number; readonly file: ts.SourceFile }>();
  return (options: ts.CompilerOptions): ts.CompilerHost => {
    const host = ts.createIncrementalCompilerHost(options);
    return {
      ...host,
      getSourceFile: (name, ...rest) => {
        const changed = ts.sys.getModifiedTime?.(name)?.getTime();
        const known = parsed.get(name);
        if (known && known.changed === changed) return known.file;
        const file = host.getSourceFile(name, ...rest);
        if (file && changed !== undefined) parsed.set(name, { changed, file });
        return file;
      },
    };
  };
};

/** Makes a type check of the project, which gives the errors. From its second run on, it checks only what has changed. */
export const createTypeCheck = (configFile = 'tsconfig.json') => {
  const createHost = createHosts();
  let before: ts.SemanticDiagnosticsBuilderProgram | undefined;
  return (): string[] => {
    const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
    const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
    const settings = { ...options, noEmit: true, incremental: true, tsBuildInfoFile: '.tsbuildinfo' };
    before = ts.createSemanticDiagnosticsBuilderProgram(fileNames, settings, createHost(settings), before);
    const found = [...errors, ...before.getSyntacticDiagnostics(), ...before.getSemanticDiagnostics()];
    return [...new Set(found.map(describe))];
  };
};
