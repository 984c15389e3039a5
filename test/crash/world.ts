/**
 * The outside world: a file with a line per execution of a tool, written by the tool itself before it does anything
 * else. A line is one write at the end of the file, so that a SIGKILL right after it does not take it back.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { JsonObjectSchema } from '@signalbox/core'
import { z } from 'zod'
import type { Execution } from '../invariants/run-record.ts'

const Line = z.object({
  effectId: z.string(),
  attempt: z.number(),
  runId: z.string(),
  callId: z.string(),
  tool: z.string(),
  argsHash: z.string(),
  at: z.number(),
})

/** An execution, and when it began: milliseconds since the epoch, by the clock of this machine. */
export interface TimedExecution extends Execution {
  readonly at: number
}

/** Leaves the mark of an execution. */
export function mark(file: string, execution: Execution): void {
  appendFileSync(file, `${JSON.stringify({ ...execution, at: Date.now() })}\n`)
}

/** Every execution so far, in order. */
export function readWorld(file: string): readonly TimedExecution[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => Line.parse(JsonObjectSchema.parse(JSON.parse(line))))
}
