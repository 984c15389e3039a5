/** The options of a test box, and of its runs. */
import type { JsonObject } from '@signalbox/core'
import type { Person } from '@signalbox/engine'
import type { ConfigInput, Env } from '@signalbox/server'
import type { DefinedTool } from '@signalbox/tools'
import type { FakeTools } from './fake-tools.ts'
import type { ModelSource } from './model-source.ts'
import type { Recording } from './recording.ts'
import type { Turn } from './turns.ts'

type AgentInput = ConfigInput['agents'][string]

/** An agent as a configuration has it; its model may be left out, since the test plays it. */
export type TestAgent = Omit<AgentInput, 'model'> & Partial<Pick<AgentInput, 'model'>>

/** The source of a model's answers: one of the two. */
export interface Playing {
  /** Its answers, turn by turn. */
  readonly turns?: readonly Turn[]
  /** Its answers as a provider gave them, see `recorded`. */
  readonly recording?: Recording
}

/** Options of a box: `config`, or `agents` and `tools`, or neither. */
export interface TestBoxOptions extends Playing {
  /**
   * A configuration: the default export of `signalbox.config.ts`, or the path of the file. Without it and without `agents` the file is looked
   * for in the working directory, as the commands do.
   */
  readonly config?: ConfigInput | string
  /** Agents of this test alone. */
  readonly agents?: Readonly<Record<string, TestAgent>>
  /** The tools of `agents`. */
  readonly tools?: readonly DefinedTool[]
  /** `memory`, the default: quick, and with a clock that can be moved. `postgres`: an embedded server, as in `signalbox dev`. */
  readonly register?: 'memory' | 'postgres'
  /** Sources of single agents, by name. They come before `turns` and `recording`, which are for all agents. */
  readonly models?: Readonly<Record<string, Playing>>
  /** Tools whose work the test does, by name: no card is charged in a test. */
  readonly fakes?: FakeTools
  /** Milliseconds that a run may take to come to rest. 10,000 by default. */
  readonly withinMs?: number
  /** Keys of models and tokens of policies. `process.env` by default. */
  readonly env?: Env
  /** The folder that paths in `config` are relative to, where it is no file. The working directory by default. */
  readonly dir?: string
}

/** Options of a run. */
export interface RunOptions extends Playing {
  /** The thread to go on with. A new one by default. */
  readonly thread?: string
  /** The authenticated user it works for, as policies and approvals see it. */
  readonly user?: Person
  /** A pseudonym of the end user. */
  readonly endUser?: string
  readonly metadata?: JsonObject
}

/** The source of answers that these options name; null if they name none. */
export const sourceIn = ({ turns, recording }: Playing): ModelSource | null =>
  recording ?? turns ?? null
