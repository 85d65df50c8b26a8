import type { Metafile, Plugin } from 'esbuild';

/** How the command works in a project that differs from others. */
export interface Config {
  /** Conditions for the `exports` of packages: the repository of the packages has one for their sources. */
  readonly conditions?: readonly string[];
  /** Plugins of esbuild, for the build. */
  readonly plugins?: readonly Plugin[];
  /** What the plugins have bundled, for the licences of it. */
  readonly bundled?: () => readonly Metafile[];
  /** Files and folders that the build is made of, beside those of every project. */
  readonly inputs?: readonly string[];
  /** Folders of sources beside `src` and `generated`: `dev` follows edits in them. */
  readonly sources?: readonly string[];
  /** Gives a folder with a tarball of each package, for new projects; otherwise the installed packages are packed. */
  readonly tarballs?: () => Promise<string>;
}
