/** Tokens by length, without a tokenizer. Hundredths of a byte in a token: whole numbers, as the state of a run keeps them. */

/** Bytes in a token: in the longest tokens and the shortest, on average over a text, and where nothing was counted. */
export const bytesPerToken = { most: 600, least: 150, unknown: 300 } as const

/** Tokens of so many bytes. */
export const tokensOf = (bytes: number, bpt: number): number => Math.ceil((bytes * 100) / bpt)
