/** Why nothing was learned of a run that could have been. */
import { z } from 'zod'

export const MemorySkip = z.enum([
  /** The run or its thread was deleted, or what was said was erased. */
  'gone',
  /** The thread is private by now. */
  'off',
  /** The person does not want anything to be remembered just now. */
  'paused',
  /** A newer run of the thread is under way: it learns for both. */
  'newer_run',
  /** A learning of a newer run has seen its words already. */
  'covered',
  /** No user said anything that may be learned. */
  'nothing',
  /** Too many learnings of this memory wait. */
  'full',
  /** The last ones failed in a row: the memory is left alone for a while. */
  'failing',
  /** The end user is held after safety stops. */
  'held',
])

export type MemorySkip = z.infer<typeof MemorySkip>
