/**
 * The recorder: facts in, decisions out, and what follows from them. The only place that appends decisions.
 *
 * R1 A fact is acknowledged only when the register has it: an append is repeated until it answers (I2, I3).
 * R2 A decision is made from a view and applied by compare-and-swap; the loser drops its work and reads again (I4).
 * R3 What follows from a decision (dispatch, wakes, the next run of the thread) happens after its commit, and is a hint:
 *    the reconciler finds all of it again.
 */
import { NewerError } from '@signalbox/core'
import { messageOf, TerminalError } from '../errors.ts'
import type { AppendItem, AppendResult, FactDraft, Register, RunRef } from '../ports.ts'
import type { DraftedBy } from './decision.ts'
import { createFaulter } from './fault.ts'
import { insist, type Patience } from './patience.ts'
import { createPlanner, type Followers, partsOf, type Planner } from './plan.ts'
import type { Strangers } from './strangers.ts'
import type { KeptConversations, LoadedRun, RunView, Views } from './view.ts'

export interface RecorderDeps extends Patience, DraftedBy {
  readonly register: Register
  readonly views: Views
  readonly conversations: KeptConversations
  readonly strangers: Strangers
  /** Does this process decide (an orchestrator), or only record (a worker, an API)? */
  readonly decides: boolean
  readonly followers: Followers
}

/** What an append about a new or a queued run carries beside facts. */
export interface Extra extends Pick<AppendItem, 'create' | 'admit' | 'notes'> {
  /** The run as the caller knows it, when nobody else can know it better. */
  readonly view?: RunView
}

export interface Recorder {
  /** Records facts about one run, and decides at once where this process may. Answers what became of the facts. */
  record(run: RunRef, facts: readonly FactDraft[], extra?: Extra): Promise<AppendResult>
  /** Decides whatever is undecided of a run. */
  advance(runId: string): Promise<void>
}

/** Appends until the register answers. A refusal of the item itself is a TerminalError. */
export type Append = (item: AppendItem) => Promise<AppendResult>

/** How often a decision is made anew because somebody was faster. Then the reconciler tries. */
const roundsMax = 20

export function createRecorder(deps: RecorderDeps): Recorder {
  const append: Append = (item) =>
    insist(deps, 'append', async () => {
      const result = await deps.register.append(item)
      if (result.code === 'rejected')
        throw new TerminalError('append_rejected', result.detail ?? 'the register refused the item')
      return result
    })
  const planner = createPlanner(deps)
  return {
    record: recordWith(deps, planner, append),
    advance: advanceWith(deps, planner, append),
  }
}

function recordWith(deps: RecorderDeps, planner: Planner, append: Append): Recorder['record'] {
  const { views, followers, decides } = deps
  return async ({ runId, tenantId }, facts, extra = {}) => {
    const { view: given, ...rest } = extra
    const view = given ?? views.cached(runId)
    const current = view && view.facts === view.decided && !view.ended ? view : null
    const plan = decides && current ? planner.ahead(current, facts) : null
    const parts = plan ? partsOf(plan) : {}
    const result = await append({ runId, tenantId, ...rest, facts, ...parts })
    const stands = plan !== null && planner.settle(plan, result)
    if (!stands && result.factCodes.includes('ok')) {
      views.forget(runId)
      followers.recorded(runId)
    }
    return result
  }
}

function advanceWith(deps: RecorderDeps, planner: Planner, append: Append): Recorder['advance'] {
  const { views, strangers, followers } = deps
  const fault = createFaulter({ ...deps, append })

  /** Answers whether there is nothing more to do here; if not, there is something new to read. */
  const decideOnce = async ({ view, undecided }: LoadedRun): Promise<boolean> => {
    const { runId, tenantId } = view
    const plan = planner.over(view, undecided)
    if (!plan) {
      strangers.leave(
        view,
        (await views.lackOf(view.definitionHash).catch(messageOf)) ?? 'its policies were not ready',
      )
      return true
    }
    strangers.forget(runId)
    const result = await append({ runId, tenantId, ...partsOf(plan) })
    if (result.decisionCode === 'rejected') {
      const detail = result.detail ?? 'the register refused the decision'
      throw new TerminalError(detail === 'history_too_long' ? detail : 'append_rejected', detail)
    }
    const stands = planner.settle(plan, result)
    if (!stands) views.forget(runId)
    if (result.decisionCode !== 'held') return stands
    followers.held(runId)
    return true
  }

  const decideOrFault = async (loaded: LoadedRun): Promise<boolean> => {
    try {
      return await decideOnce(loaded)
    } catch (error) {
      if (deps.stopped.aborted) throw error
      if (error instanceof NewerError) {
        strangers.leave(loaded.view, error.message)
        return true
      }
      return fault(loaded, error)
    }
  }

  return async (runId) => {
    for (let round = 0; round < roundsMax; round++) {
      const loaded = await insist(deps, 'load', () => views.load(runId))
      if (!loaded) return
      if ('notMine' in loaded) return strangers.leave(loaded, loaded.notMine)
      if (loaded.view.ended) return strangers.forget(runId)
      if (loaded.poison) {
        if (await fault(loaded, loaded.poison)) return
      } else if (loaded.undecided.length === 0 || (await decideOrFault(loaded))) return
    }
  }
}
