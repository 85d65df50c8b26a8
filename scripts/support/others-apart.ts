import type { Plugin } from 'esbuild';

/** Leaves third-party packages in node_modules, and bundles the packages of this repository. */
export const othersApart: Plugin = {
  name: 'others apart',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@trellis/') ? undefined : { path, external: true },
    );
  },
};
