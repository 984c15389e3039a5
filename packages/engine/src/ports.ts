/**
 * Ports: what the use cases need of the world, stated by the code that needs it. Adapters live in other packages and
 * in `memory/`; `contract/` holds one suite per port, run against every adapter.
 *
 * P1 Only the Register is the truth. Every other port may lose, repeat, delay or reorder, and costs latency only.
 * P2 Expected outcomes are returned; a port throws only for what the caller cannot foresee (a lost connection).
 * P3 After a throw the caller does not know whether the operation happened, and must be able to repeat it.
 */
export type {
  AppendItem,
  AppendResult,
  ClaimCode,
  ClaimDraft,
  Claimed,
  CreateDraft,
  DecisionCode,
  DecisionDraft,
  EffectFence,
  EventDraft,
  FactCode,
  FactDraft,
  ItemCode,
  Lane,
  Moment,
  Multitask,
  ParentRef,
  SettleDraft,
} from './ports/append.ts'
export type { BudgetPort, Reservation, Reserved, TreeBudget } from './ports/budget.ts'
export type { Ledger, LedgerDraft, LedgerEntry, LedgerPort } from './ports/ledger.ts'
export type {
  ChildRef,
  EffectRow,
  Admission,
  BreakerSettings,
  GivenTitle,
  Register,
  RunHead,
  RunRef,
  RunTail,
  StoredEvent,
  Superseded,
  Thread,
  ThreadChange,
  ThreadRef,
  ThreadTitle,
} from './ports/register.ts'
export type {
  NamedTarget,
  Pause,
  PauseAnswer,
  PauseCode,
  PauseDraft,
  PausePort,
} from './ports/pauses.ts'
export type {
  AttemptContext,
  Guarded,
  InspectedCall,
  RedactedText,
  RedactedValue,
  StreamGuard,
  StreamGuardrails,
  StreamPart,
  TakenOut,
} from './ports/stream-guard.ts'
export type { DecidedRun, EndedRun, Observer, RunPlace } from './ports/observer.ts'
export type { Delivery, DeliveryAnswer, WebhookSender } from './ports/webhook.ts'
export type { Delta, Dispatcher, Hint, HintSource, WakeBus, WakeTopic } from './ports/hints.ts'
export type {
  CallFiles,
  Clock,
  FileDraft,
  Log,
  Model,
  ModelRequest,
  ModelSink,
  Random,
  PolicyHost,
  ToolHost,
  ToolOutcome,
  ToolRequest,
} from './ports/world.ts'
