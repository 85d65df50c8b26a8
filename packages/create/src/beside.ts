/** The URL of a module beside another: TypeScript in the sources, JavaScript in the package. */
export const moduleBeside = (name: string, url: string): URL =>
  new URL(`${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);
