import { z } from 'zod'

/** How a run ended: one word, the same in the API, the log, the metrics and the console (DESIGN §2). */
export const Outcome = z.enum([
  'completed',
  'safety_stopped',
  'refused',
  'guardrail_stopped',
  'loop_stopped',
  'budget_exhausted',
  'length_stopped',
  'interrupted',
  'cancelled',
  'rolled_back',
  'timed_out',
  'failed',
])
export type Outcome = z.infer<typeof Outcome>

/** The states of the machine (DESIGN §2). `safety` and `loop` are passed through inside one decision. */
export const StateName = z.enum([
  'queued',
  'context',
  'model',
  'safety',
  'guardrail',
  'approval',
  'input',
  'tools',
  'loop',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
])
export type StateName = z.infer<typeof StateName>

/** What a run is doing, coarsely. `queued` waits for its thread, `waiting` for a named human. */
export const RunStatus = z.enum(['queued', 'running', 'waiting', 'ended'])
export type RunStatus = z.infer<typeof RunStatus>
