import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const change = (flag: '+i' | '-i', files: readonly string[]): void => {
  execFileSync('chattr', [flag, ...files], { stdio: 'pipe' });
};

/** Why open files cannot be write-protected here, or `undefined` if they can. */
export const whyNoWriteProtection = (): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'write-protection-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { status } = spawnSync('chattr', ['+i', file], { stdio: 'pipe' });
  if (status === 0) change('-i', [file]);
  rmSync(folder, { recursive: true });
  return status === 0 ? undefined : 'needs Linux, root and a file system that knows `chattr +i`';
};

/** Makes every further write to these files fail, even through open handles. */
export const protect = (files: readonly string[]): void => change('+i', files);

/** Allows writes to these files again. */
export const unprotect = (files: readonly string[]): void => change('-i', files);
