import type { Metafile, Plugin } from 'esbuild';

/** Overrides for a project with another layout: conditions, plugins, inputs and folders. */
export interface Config {
  /** Conditions for the `exports` of packages: the repository of the packages has one for their sources. */
  readonly conditions?: readonly string[];
  /** Plugins of esbuild, for the build. */
  readonly plugins?: readonly Plugin[];
  /** Metafiles of bundles that the plugins made, for LICENSES.txt. */
  readonly bundled?: () => readonly Metafile[];
  /** Additional inputs of the build: files and folders. */
  readonly inputs?: readonly string[];
  /** Folders of sources beside `src` and `generated`: `dev` follows edits in them. */
  readonly sources?: readonly string[];
  /** Gives a folder with a tarball of each package, for new projects; otherwise the installed packages are packed. */
  readonly tarballs?: () => Promise<string>;
}
