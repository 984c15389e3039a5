/** An observer of the engine: for traces, logs and metrics. Nothing depends on it, and it decides nothing. */
import type { AgentDefinition, Decision, Fact, Outcome, RunStatus } from '@signalbox/core'

/** Where in the trees of runs some work belongs. */
export interface RunPlace {
  readonly runId: string
  /** The run at the top of the tree: the run itself, if no run started it. */
  readonly rootId: string
  readonly threadId: string
}

/** A run whose last decision was committed by this process. */
export interface EndedRun extends RunPlace {
  readonly agent: string
  readonly outcome: Outcome
  /** The run that started it; null if none did. */
  readonly parentId: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A decision that was committed by this process: over which facts, and where it left the run. */
export interface DecidedRun extends RunPlace {
  readonly agent: AgentDefinition
  /** The run that started it; null if none did. */
  readonly parentId: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** The status of the run before. */
  readonly before: RunStatus
  readonly facts: readonly Fact[]
  readonly decision: Decision
}

/** No method may throw or wait. */
export interface Observer {
  /** Performs the work on an effect of a run, in whatever context the observer keeps. Answers what the work answers. */
  within<T>(run: RunPlace, work: () => Promise<T>): Promise<T>
  /** A decision is committed. Called once per decision, by the process that committed it; lost if that process dies right then. */
  decided(run: DecidedRun): void
  /** The run has ended. Told once per run by the process that committed the end; lost if that process dies right then. */
  ended(run: EndedRun): void
}
