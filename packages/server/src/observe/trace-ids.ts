/**
 * Ids of the trace of a run. They follow from the ids of the runs, so every process that works on a run, also one that
 * takes over after a crash, writes into the same trace: nothing is stored for it, and nothing is sent along.
 */
import { createHash } from 'node:crypto'

/** 32 hex digits: one trace for a tree of runs. Hashed, because samplers expect random bits and a UUIDv7 begins with a time. */
export const traceIdOf = (rootId: string): string => digest(`trace:${rootId}`, 32)

/** 16 hex digits: the span `invoke_agent` of a run. */
export const spanIdOf = (runId: string): string => digest(`span:${runId}`, 16)

const digest = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits)
