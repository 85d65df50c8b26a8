import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Contract } from '../document/contract.ts';
import { rootOf } from '../document/sources.ts';
import { examine } from '../examine.ts';
import { concealHeader, createRedact } from '../exchange/credentials.ts';
import { createTell, type Failure } from '../exchange/failure.ts';
import { type RunFacts, renderJson, renderJunit } from '../report/files.ts';
import { createProgress } from '../report/progress.ts';
import { countFailures, type Results } from '../report/results.ts';
import { renderText } from '../report/text.ts';
import { CannotStart } from '../selection.ts';
import { openWebhooks } from '../webhooks/webhooks.ts';
import { EXIT, usage } from './options.ts';
import { reachService } from './service.ts';
import type { NamedSettings, ReportFile, Settings } from './settings.ts';

const INTERRUPTED = 'it was interrupted';

const cannotWrite =
  (file: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw usage(`${file} cannot be written (${code})`);
  };

/** A signal that aborts on the first interrupt; a second one ends the process. */
const createInterrupt = () => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(INTERRUPTED);
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    end: (): void => {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    },
  };
};

const receiveWebhooks = async (contract: Contract, { webhooks: place, webhookSecret }: Settings) => {
  if (!place) return undefined;
  const webhooks = await openWebhooks(contract, place, webhookSecret).catch(
    ({ code }: NodeJS.ErrnoException) => {
      throw usage(`--webhooks: port ${place.port} cannot be listened on (${code})`);
    },
  );
  if (webhooks.outgoing.length > 0) return webhooks;
  webhooks.close();
  throw usage('--webhooks: the contract has neither webhooks nor callbacks');
};

const summarize = (results: Results, { seed, requests }: RunFacts): { text: string; code: number } => {
  const { end } = results;
  const isBroken = countFailures(results) > 0;
  const broken = `The service breaks its contract. To repeat these requests: --seed ${seed} --requests ${requests}`;
  if (end?.kind === 'away') return { text: isBroken ? broken : '', code: EXIT.service };
  const isWhole = !end || end.leftOut.length === 0;
  const code = isBroken ? EXIT.broken : EXIT.kept;
  const kept = isWhole
    ? 'The service keeps its contract.'
    : 'No failures found. Parts of the contract were not tested.';
  return {
    text: isBroken ? broken : kept,
    code: end?.why === INTERRUPTED && (isBroken || !isWhole) ? EXIT.interrupted : code,
  };
};

/** Tests a service at a URL, prints the findings, writes the reports and returns the exit code. */
export const testService = async (contract: Contract, given: string, settings: NamedSettings) => {
  const { spec, credentials, headers, requests, reports } = settings;
  const url = rootOf(given, contract.request.view.document);
  const transport = await reachService(url, { ...settings.transport, headers });
  // Before anything is sent.
  for (const { file } of reports) await mkdir(dirname(file), { recursive: true }).catch(cannotWrite(file));
  const seed = settings.seed ?? (Date.now() % 999_999) + 1;
  const redact = createRedact(credentials, headers);
  const tellWhole = createTell(contract, url, headers.map(concealHeader));
  const tell = (failure: Failure): string => redact(tellWhole(failure));
  const stop = createInterrupt();
  console.log(`${spec} against ${url}, seed ${seed}\n`);
  const webhooks = await receiveWebhooks(contract, settings);

  const began = new Date();
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const results = await examine({
    ...{ ...settings, ...settings.selection },
    ...{ contract, transport, seed, webhooks, signal: stop.signal, onProgress: progress.show },
  })
    .catch((error: unknown) => {
      if (error instanceof CannotStart) throw usage(error.message);
      throw new Error(redact(`seed ${seed}\n${error instanceof Error ? error.stack : error}`));
    })
    .finally(() => {
      stop.end();
      progress.end();
      webhooks?.close();
      transport.close();
    });

  const milliseconds = performance.now() - started;
  const facts: RunFacts = { spec, url, seed, requests, began, milliseconds };
  const render = ({ kind }: ReportFile): string =>
    kind === 'json'
      ? renderJson(results, facts, contract, tell)
      : renderJunit(results, { name: `${spec} against ${url}`, milliseconds }, tell);

  const { text, code } = summarize(results, facts);
  console.log(redact(renderText(results, tell)));
  if (text !== '') console.log(`\n${text}`);
  if (results.end?.kind === 'away') console.error(results.end.why);
  for (const report of reports)
    await writeFile(report.file, redact(render(report))).catch(cannotWrite(report.file));
  return code;
};
