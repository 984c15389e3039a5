/**
 * The composition of one engine process: recorder, performers, reconciler, over ports. No process owns a run; any
 * number of engines may share a register.
 */
import type { AgentDefinition, Machines } from '@signalbox/core'
import { assemble } from './assemble.ts'
import type { CheckArguments } from './answer-approval.ts'
import type { Engine } from './engine.ts'
import { warning } from './errors.ts'
import { followText } from './perform/live.ts'
import { followProgress } from './perform/progress.ts'
import type {
  Clock,
  Dispatcher,
  HintSource,
  Log,
  Model,
  Observer,
  OwnBundles,
  PolicyHost,
  Random,
  Register,
  StreamGuardrails,
  ToolHost,
  WakeBus,
  WebhookSender,
} from './ports.ts'
import { settlesWithin } from './record/patience.ts'
import { poll } from './roles/reconciler.ts'
import type { EngineSettings } from './settings.ts'

/** A role of an engine process. Without a role it only has commands. */
export type Role = 'orchestrator' | 'worker'

/** The parts of an engine process. */
export interface EngineDeps {
  readonly register: Register
  readonly dispatcher: Dispatcher
  /** Needed by the worker role only. */
  readonly hintSource: HintSource | null
  readonly wakeBus: WakeBus
  /** Needed by the orchestrator role only. */
  readonly model: Model | null
  /** Needed by the worker role only. */
  readonly tools: ToolHost | null
  /** Evaluates passports and Cedar, and asks what takes I/O. Default: neither, such policies deny. */
  readonly policies?: PolicyHost
  /** Says what is wrong with arguments for a tool, null if nothing. Default: nothing can be checked, and no call edited. */
  readonly checkArguments?: CheckArguments
  /** Tells others of runs. Default: nobody is told. */
  readonly webhooks?: WebhookSender
  /**
   * Agents by name as they are configured now: for runs that start runs of others, and for policies that deny what a run's own
   * would still allow. Default: none; a call that starts a run fails with `unknown_agent`.
   */
  readonly agents?: (name: string) => AgentDefinition | null
  /** Versions of the machine this process knows; new runs are pinned to the newest. Default: all of this build. */
  readonly machines?: Machines
  /** Told how many runs this process leaves to others, being newer than its build or lacking their policies. */
  readonly onNotMine?: (runs: number) => void
  /** Judges what models say, and redacts what tools answer. Default: nothing can, so nothing is asked or recorded that should be judged. */
  readonly guardrails?: StreamGuardrails
  /** The skills that this process has read from its configuration. Default: none; then a definition with skills that are stored can be used, and no other. */
  readonly skills?: OwnBundles
  /** Told of what the engine does. Default: nobody is. */
  readonly observer?: Observer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly roles: readonly Role[]
  readonly settings: EngineSettings
}

/** Composes one engine process over ports. Nothing runs before `start`. */
export function createEngine(deps: EngineDeps): Engine {
  /** Claims nothing more. */
  const draining = new AbortController()
  /** Gives up: what is still in flight is handed over. */
  const stopping = new AbortController()
  const parts = assemble(deps, { draining: draining.signal, stopped: stopping.signal })
  const subscriptions: (() => void)[] = []
  const background: Promise<void>[] = []
  /** Of a clock that nobody sets. Null: nothing is reconciled here. */
  let turnedAt: number | null = null
  let lookedAt: number | null = null
  const ageOf = (at: number | null): number | null =>
    at === null ? null : deps.clock.monotonic() - at
  return {
    commands: parts.commands,
    followText: (runId, listener) => followText(deps.wakeBus, runId, listener),
    followProgress: (runId, listener) => followProgress(deps.wakeBus, runId, listener),
    health: () => ({ reconcilerAgeMs: ageOf(turnedAt), lookAgeMs: ageOf(lookedAt) }),
    async start() {
      const { wakeBus, roles } = deps
      subscriptions.push(
        wakeBus.subscribe('cancel', (ids) => parts.leases.abortRuns(ids, 'cancelled')),
      )
      if (roles.includes('orchestrator')) {
        subscriptions.push(
          wakeBus.subscribe('facts', (ids) => ids.forEach((id) => parts.advances.hint(id))),
          wakeBus.subscribe('model', (ids) => ids.forEach((id) => parts.modelHints.hint(id))),
        )
        const turned = (isAnswered: boolean): void => {
          lookedAt = deps.clock.monotonic()
          if (isAnswered) turnedAt = lookedAt
        }
        turned(true)
        background.push(poll({ ...parts.reconciler, turned }))
      }
      if (roles.length > 0) parts.leases.watch()
      if (roles.includes('worker') && deps.hintSource)
        await deps.hintSource.start(deps.settings.queues, parts.performHint)
    },
    async stop(graceMs, cut) {
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe()
      draining.abort()
      // One grace for all that is in flight: whoever stops this process counts it once.
      await Promise.all([
        deps.hintSource?.stop(graceMs, cut),
        settlesWithin(deps.clock, graceMs, orCut(parts.idle(), cut)),
      ])
      stopping.abort()
      const released = parts.leases
        .release()
        .catch(warning(deps.log, 'leases could not be given back'))
      // A register that says nothing is not waited for: what it held runs out.
      const over = Promise.allSettled([released, ...background, parts.advances.idle()])
      await settlesWithin(deps.clock, partingMs, over)
      parts.live.close()
    },
  }
}

/** Settles with the work, or when nobody waits for it any more. */
const orCut = (work: Promise<void>, cut: AbortSignal | undefined): Promise<void> =>
  cut === undefined ? work : Promise.race([work, aborted(cut)])

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** The time a stop takes beyond its grace, at most. Milliseconds. */
const partingMs = 2_000
