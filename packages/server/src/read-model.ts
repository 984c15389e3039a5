/** What the API reads: the reader of the register, and what is folded from it. One tenant at a time (I19). */
import type { Reader } from '@signalbox/postgres'

/** The reads the API stands on. */
export type ReadModel = Omit<Reader, 'close'>
