/** The files of the workload: what is given, and what a call says of it. */
import { createHash } from 'node:crypto'

/** Where the run finds what it was given. */
export const givenPath = 'uploads/given.txt'

/** Where the call with this number leaves what it found. */
export const keptPath = (n: number): string => `outputs/${n}.txt`

const digits = '0123456789abcdef'
/** A piece of an upload, and some more: a server that has just come back takes it within the time of a request. */
const repeats = 40_000

/** A text of 640 kB, for the schedule of this name another one. */
export const givenText = (name: string): string =>
  `${name} `.padEnd(16, '.') + digits.repeat(repeats)

/** How long a text is, and its digest. */
export const aboutText = (text: string): string =>
  `${Buffer.byteLength(text)} bytes, ${createHash('sha256').update(text).digest('hex')}`
