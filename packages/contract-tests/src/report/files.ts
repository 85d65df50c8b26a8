import type { Contract } from '../document/contract.ts';
import { type Failure, operationOf } from '../exchange/failure.ts';
import {
  countFailures,
  countsOf,
  failuresIn,
  nameOf,
  type PhaseResult,
  type Results,
  type SubjectResult,
  tellFailures,
} from './results.ts';

/** Facts about a run. */
export interface RunFacts {
  readonly spec: string;
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  readonly began: Date;
  readonly milliseconds: number;
}

/** Renders a run as JSON. `docs/how-to/test-a-contract.md` describes the members. */
export const renderJson = (
  { phases, notes, end }: Results,
  { requests, began, milliseconds, ...facts }: RunFacts,
  { nameOf }: Pick<Contract, 'nameOf'>,
  tell: (failure: Failure) => string,
): string => {
  const failures = countFailures({ phases });
  const failureOf = (failure: Failure): object => ({
    operation: operationOf(failure).id,
    name: failure.name,
    what: failure.breach.what,
    place: nameOf(failure.breach.at),
    pointer: failure.breach.at,
    text: tell(failure),
  });
  const subjectOf = (result: SubjectResult): object => ({
    title: result.subject.title,
    operations: result.subject.operations.map(({ id, method, path }) => ({ id, method, path })),
    milliseconds: Math.round(result.milliseconds),
    ...countsOf([result]),
    ...(result.problem !== undefined && { problem: result.problem }),
    found: result.findings.failures.map(failureOf),
  });
  const phaseOf = ({ phase, subjects }: PhaseResult): object => ({
    name: phase.name,
    promise: phase.promise,
    ...countsOf(subjects),
    subjects: subjects.map(subjectOf),
  });
  const report = {
    version: 1,
    ...facts,
    requestsPerOperation: requests,
    began,
    milliseconds: Math.round(milliseconds),
    isKept: failures === 0 && end?.kind !== 'away',
    end: end ? { why: end.why, leftOut: end.leftOut } : null,
    ...countsOf(phases.flatMap(({ subjects }) => subjects)),
    phases: phases.map(phaseOf),
    notes,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 forbids (section 2.2), and unpaired surrogates. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const inText = (text: string): string =>
  text.replaceAll(FORBIDDEN, toEscape).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

/** Parsers turn line ends and tabs in attributes into spaces (XML 1.0, section 3.3.3). */
const inAttribute = (text: string): string =>
  inText(text).replaceAll(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${inAttribute(String(value))}"`)
    .join('');

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Readers of JUnit files expect one failure per test case, so it contains all of them. */
const failureOf = (result: SubjectResult, tell: (failure: Failure) => string): string => {
  const told = tellFailures(result, tell);
  const [first] = told;
  if (first === undefined) return '';
  const message = told.length === 1 ? firstLine(first) : `${told.length} failures: ${firstLine(first)}; …`;
  return `<failure${attributes({ message, type: 'breach' })}>${inText(told.join('\n\n'))}</failure>`;
};

const notesOf = ({ findings: { notes } }: SubjectResult): string =>
  notes.length === 0 ? '' : `<system-out>${inText(notes.join('\n'))}</system-out>`;

const caseOf = (phase: string, name: string, milliseconds: number, inside: string): string =>
  `    <testcase${attributes({ classname: `contract.${phase}`, name, time: seconds(milliseconds) })}>${inside}</testcase>`;

/** Renders a run as JUnit XML: a suite per phase, a case per subject. */
export const renderJunit = (
  { phases, end }: Results,
  { name, milliseconds }: { readonly name: string; readonly milliseconds: number },
  tell: (failure: Failure) => string,
): string => {
  const suites = phases.map(({ phase, subjects }) => {
    const done = new Set(subjects.map((each) => each.subject.title));
    const leftOut = end?.leftOut.find((each) => each.phase === phase.name)?.subjects ?? [];
    // An interrupted subject has a result already.
    const skipped = leftOut.filter((title) => !done.has(title));
    const counts = {
      tests: subjects.length + skipped.length,
      failures: subjects.filter((each) => failuresIn(each) > 0).length,
      errors: 0, // some readers require it
      skipped: skipped.length,
    };
    const time = seconds(sum(subjects.map((each) => each.milliseconds)));
    const text = [
      `  <testsuite${attributes({ name: phase.name, ...counts, time })}>`,
      ...subjects.map((each) =>
        caseOf(phase.name, nameOf(each.subject), each.milliseconds, failureOf(each, tell) + notesOf(each)),
      ),
      ...skipped.map((title) =>
        caseOf(phase.name, title, 0, `<skipped${attributes({ message: end?.why ?? '' })}/>`),
      ),
      '  </testsuite>',
    ].join('\n');
    return { ...counts, text };
  });
  const totals = {
    name,
    tests: sum(suites.map(({ tests }) => tests)),
    failures: sum(suites.map(({ failures }) => failures)),
    skipped: sum(suites.map(({ skipped }) => skipped)),
    time: seconds(milliseconds),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(totals)}>`,
    ...suites.map(({ text }) => text),
    '</testsuites>',
    '',
  ].join('\n');
};
