import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkPackages } from './link.ts';
import { packPackages } from './pack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes an example a project on the packages as they are now, with `trellis new`, and builds it; gives its program. It is
 * kept beside the packed packages, and made anew once they or its contract have changed.
 */
export const buildExample = async (name: string, report: (text: string) => void): Promise<string> => {
  const packed = await packPackages({ say: report });
  const example = join(ROOT, 'examples', name);
  const project = join(packed, name);
  const isMade = existsSync(join(project, 'node_modules'));
  const [ours, made] = [example, project].map((folder) => join(folder, 'openapi.yaml'));
  if (!isMade || readFileSync(ours ?? '', 'utf8') !== readFileSync(made ?? '', 'utf8')) {
    report(`making a project of examples/${name}`);
    rmSync(project, { recursive: true, force: true });
    const make = ['run', '--silent', 'example', '--', name, project];
    execFileSync('npm', make, { cwd: ROOT, stdio: 'pipe' });
    linkPackages(project, packed);
  }
  cpSync(join(example, 'src'), join(project, 'src'), { recursive: true });
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: project, stdio: 'pipe' });
  return join(project, 'dist/bin/main.js');
};
