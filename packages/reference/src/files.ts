/** The files of the API reference. The page that loads them has an element with the id `reference`. */
export interface ReferenceFiles {
  readonly script: string;
  readonly style: string;
}
