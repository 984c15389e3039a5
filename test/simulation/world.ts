/** What really happened in a simulated world, whatever the register says. */
import type { Reply } from './questions.ts'
import { createHash } from 'node:crypto'
import type { JsonObject } from '@signalbox/core'
import {
  type AnswerApproval,
  type ApprovalAnswer,
  canonical,
  type CreateAnswer,
} from '@signalbox/engine'
import type { Execution } from '../invariants/run-record.ts'
import type { Wish } from './crowd.ts'
import type { Look } from './files.ts'
import type { Named } from './naming.ts'
import type { Asked } from './prompts.ts'
import type { LastAsked } from './rooms.ts'
import type { Schedule } from './schedule.ts'
import type { Spoken } from './steering.ts'
import type { Way } from './victims.ts'

/** An execution, with what a policy would be asked about it. */
export interface SeenExecution extends Execution {
  readonly args: JsonObject
}

/** What came of an attempt, as its tool told a process that was not told before to break it off. */
export interface Returned {
  readonly effectId: string
  readonly attempt: number
  readonly runId: string
  readonly owner: string
  /** Milliseconds of the schedule. */
  readonly at: number
  readonly status: 'completed' | 'failed'
}

/** What somebody was told about his answer to an approval. */
export interface Told {
  readonly said: AnswerApproval
  readonly answer: ApprovalAnswer
}

/** What a client was told of a create, and how many events there were when it asked and when it heard. */
export interface Answered {
  readonly code: CreateAnswer['code']
  readonly threadId: string
  readonly asked: number
  readonly answered: number
}

export interface World {
  readonly schedule: Schedule
  readonly executions: SeenExecution[]
  /** From here on, milliseconds since the epoch, every policy that is asked denies: the kill switch. */
  readonly killedAt: number
  /** The register hands out some calls with other arguments than were stored: somebody has been at its tables. */
  readonly tampered: boolean
  readonly returned: Returned[]
  /** Do runs have files, and does somebody change some by hand? */
  readonly isFiling: boolean
  /** Do agents lend their files to runs that they start? Then all edit one of them. */
  readonly isLending: boolean
  readonly isByHand: boolean
  /** The files that each call found. */
  readonly looks: Look[]
  /** Attempts that were broken off where nobody can say whether they happened: `<effect> <attempt>`. */
  readonly unsettled: Set<string>
  readonly told: Told[]
  /** What people were told about their answers to questions. */
  readonly replies: Reply[]
  /** Titles that a person gave to threads. */
  readonly names: Named[]
  /** What the clients of a crowd want, and what they were told, by the key of the request. */
  readonly wishes: readonly Wish[]
  readonly answers: Map<string, Answered>
  /** Nobody answers what waits for a human before. Milliseconds of the schedule. */
  readonly attendedFrom: number
  /** Every prompt that a model was asked. */
  readonly asked: Asked[]
  /** What clients said, as models were shown it: by what the ids of a run's calls hold of it. */
  readonly prompts: Map<string, Set<string>>
  /** What was said to runs that go on, and what of it models were shown: what the ids of a run's calls hold of it, and the words. */
  readonly spoken: Spoken[]
  readonly heard: Set<string>
  /** The last requests that the models of agents with a window were sent, by run. */
  readonly lastAsked: Map<string, LastAsked>
  /** Ids of deliveries that came to their receivers. */
  readonly received: string[]
  /** What the actors saw that must not be. */
  readonly complaints: string[]
  /** How the register fails for one run, for ever; null: it does not. */
  readonly way: Way | null
}

/** What arguments are known by. */
export const hashOf = (args: JsonObject): string =>
  createHash('sha256').update(canonical(args)).digest('hex')
