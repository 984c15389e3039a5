/** The typed client of Signalbox, for Node, Deno, Bun and browsers: `fetch` and streams, nothing of a platform. */
export { type Client, createClient } from './client.ts'
export { type OwnCode, type Retry, SignalboxError } from './error.ts'
export type { Again, ClientOptions, Fetch, HeaderSource, RetryRule } from './options.ts'
export type { Answer, OperationName, Parts, Request, Sending } from './request.ts'
export type { Abortable, Create, NewRun, Repeat, Runs, RunsQuery } from './runs.ts'
export type { CancelMany, CountRuns, PagedRuns, RetryMany, RunFilter } from './many-runs.ts'
export type { Cancel, Cancelled } from './cancel-run.ts'
export type { Inject, Injected } from './inject-input.ts'
export type { RunFrame, TextFrame } from './frame.ts'
export type { Following } from './stream-run.ts'
export type { Until, Wait, Waited } from './wait-for.ts'
export type { HistoryQuery, Threads } from './threads.ts'
export type { Answered, Approvals, Approve, Asked, Note } from './approvals.ts'
export type { Inputs, Replied } from './inputs.ts'
export {
  type EventFilter,
  type EventOf,
  type EventPage,
  type Events,
  type EventType,
  isEvent,
  type PagedFilter,
} from './events.ts'
export type { Assistants } from './assistants.ts'
export type { Pauses } from './pauses.ts'
export type {
  Approval,
  Assistant,
  Definition,
  Event,
  EventPayloads,
  EventStats,
  InputAnswer,
  ListedApproval,
  ListedInput,
  Operations,
  Pause,
  PauseCreate,
  Problem,
  Queue,
  Retried,
  Run,
  RunCreate,
  RunRerun,
  RunInput,
  RunPage,
  RunsCancelled,
  RunsRetried,
  RunStats,
  WaitsFor,
  Thread,
  ThreadState,
  Usage,
  Values,
} from './generated.ts'
