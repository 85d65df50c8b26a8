import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A line of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, by the stage that they belong to. */
export const readStages = (dockerfile: string): Instruction[][] => {
  const lines = dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    else stages.at(-1)?.push({ name, text });
  }
  return stages;
};

/** Where a stage is built: its own folder, and what stands for the paths and the user of the image. */
export interface Place {
  readonly context: string;
  readonly folder: string;
  /** The folder of the stage before. */
  readonly earlier: string;
  readonly replace: (text: string) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const copyInto = async ({ context, earlier, folder }: Place, text: string): Promise<void> => {
  const words = text.split(' ');
  const isFromEarlier = words[0] === '--from=build';
  const paths = isFromEarlier ? words.slice(1).map((path) => path.replace('/app/', '')) : words;
  const target = paths.at(-1) ?? '';
  for (const path of paths.slice(0, -1)) {
    const to = target.endsWith('/') ? join(folder, target, basename(path)) : join(folder, target);
    await cp(join(isFromEarlier ? earlier : context, path), to, { recursive: true, verbatimSymlinks: true });
  }
};

/** Builds a stage as a container engine would, but in a folder. Returns what the image says about running it. */
export const buildStage = async (stage: readonly Instruction[], place: Place) => {
  await mkdir(place.folder, { recursive: true });
  const run: { environment: Record<string, string>; health: string[]; command: string[] } = {
    environment: {},
    health: [],
    command: [],
  };
  for (const { name, text } of stage)
    if (name === 'COPY') await copyInto(place, text);
    else if (name === 'RUN') {
      const done = spawnSync('sh', ['-c', place.replace(text)], {
        cwd: place.folder,
        env: { ...place.environment },
        encoding: 'utf8',
      });
      if (done.status !== 0) throw new Error(`${text}: ${done.stdout}${done.stderr}`);
    } else if (name === 'ENV')
      for (const pair of place.replace(text).split(' ')) {
        const [variable = '', ...value] = pair.split('=');
        run.environment[variable] = value.join('=');
      }
    else if (name === 'HEALTHCHECK') run.health = JSON.parse(text.slice(text.indexOf('[')));
    else if (name === 'CMD') run.command = JSON.parse(text);
  return run;
};

/** Starts a command of the image as its user. */
export const startAs = (
  user: number | undefined,
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
) =>
  spawn(program === 'node' ? process.execPath : program, args, {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user !== undefined && { uid: user, gid: user }),
  });
