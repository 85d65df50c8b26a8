/** The script and the style sheet of the API reference. Their page has an element with the id `reference`. */
export interface ReferenceFiles {
  readonly script: string;
  readonly style: string;
}
