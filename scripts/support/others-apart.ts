import type { Plugin } from 'esbuild';

/** Leaves packages of others in node_modules, and bundles those of this repository. */
export const othersApart: Plugin = {
  name: 'others apart',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@trellis/') ? undefined : { path, external: true },
    );
  },
};
