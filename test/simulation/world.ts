/** What really happened in a simulated world, whatever the register says. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '@signalbox/core'
import { type AnswerApproval, type ApprovalAnswer, canonical } from '@signalbox/engine'
import type { Execution } from '../invariants/run-record.ts'
import type { Schedule } from './schedule.ts'

/** An execution, with what a policy would be asked about it. */
export interface SeenExecution extends Execution {
  readonly args: JsonObject
}

/** What somebody was told about his answer to an approval. */
export interface Told {
  readonly said: AnswerApproval
  readonly answer: ApprovalAnswer
}

export interface World {
  readonly schedule: Schedule
  readonly executions: SeenExecution[]
  /** From here on, milliseconds since the epoch, every policy that is asked denies: the kill switch. */
  readonly killedAt: number
  /** The register hands out some calls with other arguments than were stored: somebody has been at its tables. */
  readonly tampered: boolean
  readonly told: Told[]
  /** What the actors saw that must not be. */
  readonly complaints: string[]
}

/** What arguments are known by. */
export const hashOf = (args: JsonObject): string =>
  createHash('sha256').update(canonical(args)).digest('hex')
