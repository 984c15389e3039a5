import { createHash } from 'node:crypto'
import { type FoldableEvent, project } from '../../src/index.ts'

/** The bytes of the prompt of a log, as a hash. */
export const promptHash = (log: readonly FoldableEvent[]): string =>
  createHash('sha256')
    .update(JSON.stringify(project('Be brief.', log)))
    .digest('hex')
