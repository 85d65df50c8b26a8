/** Whether the headers of a proxy at an address are believed, by the setting `trust proxy` of Express. */
export type Trust = (address: string | undefined, nth: number) => boolean;
