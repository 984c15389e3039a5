/**
 * The kinds of effects: what becomes of each in a process that decides, one entry for each kind. A kind without an entry does not
 * compile. The follower of a decision, the reconciler and the close of a run ask here, and know no kind themselves.
 */
import type { Effect, EffectKind } from '@signalbox/core'
import type { ClaimDraft, EffectRow, FactDraft, Hint } from '../ports.ts'
import { insist } from '../record/patience.ts'
import type { RunView } from '../record/view.ts'
import type { PolicyCallDeps } from '../perform/policy-call.ts'
import type { RecallDeps } from '../perform/recall.ts'
import type { RunStartDeps } from '../perform/run-start.ts'
import type { Strangers } from '../record/strangers.ts'
import { abortedCompaction, summaryGivenUp } from './compactions.ts'
import { abortedModel, closedCall, type CallRow, lostCall, startedBy } from './lost.ts'
import { createBackground, type LoopDeps, performClaimed, type Performer } from './loop.ts'
import type { Models } from './models.ts'
import { policyPerformer } from './policies.ts'
import { recallPerformer } from './recalls.ts'
import { type EffectOf, type RowOf, rowOf } from './row.ts'
import { runStartPerformer } from './run-starts.ts'
import { createLearning } from './learnings.ts'
import { createNaming, type TitlesDeps } from './titles.ts'
import { createDelivery, type WebhooksDeps } from './webhooks.ts'

/** The handling of the effects of one kind. */
export interface Kind<E extends Effect> {
  /** Claims one with the decision that asks for it, if this process is to perform it at once. Null: it is not. */
  claim?(effect: E): ClaimDraft | null
  /** Performs one that was claimed so. */
  claimed?(view: RunView, effect: E): void
  /** Follows the decision that asks for these: performs them, or tells those who do. */
  asked(view: RunView, effects: readonly E[]): void
  /** Is one that is due for workers, who hear of it through its queue? Default: it is not. */
  isForWorkers?(row: RowOf<E>): boolean
  /** Performs one that is due and not for workers, or records what became of it. */
  due(row: RowOf<E>): Promise<unknown>
  /** Does the reconciler wait for that? */
  readonly isAwaited: boolean
  /** The fact about one that is open when its run is to end: it starts no more, or was lost. Null: its end is not waited for. */
  readonly close: ((row: RowOf<E>) => FactDraft | Promise<FactDraft>) | null
}

export type Kinds = { readonly [K in EffectKind]: Kind<EffectOf<K>> }

export type KindsDeps = LoopDeps &
  PolicyCallDeps &
  RunStartDeps &
  RecallDeps &
  TitlesDeps &
  WebhooksDeps & {
    readonly strangers: Strangers
    /** Null: this process makes no model calls. */
    readonly models: Models | null
    /** Announces tool calls to their queues. */
    readonly dispatch: (hints: readonly Hint[]) => Promise<void>
  }

/** The kinds, and the work of theirs that goes on by itself. */
export function createKinds(deps: KindsDeps): { readonly kinds: Kinds; idle(): Promise<void> } {
  const background = createBackground(deps.log)
  const kinds: Kinds = {
    'model.call': modelKind(deps),
    'tool.call': toolKind(deps),
    'policy.evaluate': policyKind(deps, background),
    'run.start': runStartKind(deps, background),
    'tool.recall': recallKind(deps, background),
    'title.make': titleKind(deps, background),
    'memory.learn': learnKind(deps, background),
    'context.compact': compactionKind(deps, background),
    'webhook.deliver': webhookKind(deps, background),
  }
  return { kinds, idle: () => background.idle() }
}

type Background = ReturnType<typeof createBackground>

function modelKind({ models, wakeBus, writer }: KindsDeps): Kind<EffectOf<'model.call'>> {
  return {
    claim: (effect) => models?.claim(effect) ?? null,
    claimed: (view, effect) => models?.perform(view, effect),
    asked(_, effects) {
      const now = effects.filter(({ delayMs }) => delayMs === 0)
      if (now.length > 0)
        wakeBus.publish(
          'model',
          now.map(({ id }) => id),
        )
    },
    due: async (row) => models?.take(row),
    isAwaited: true,
    close: (row) => abortedModel(writer, row),
  }
}

/** Did the worker of a call vanish that nobody re-runs by itself? */
const isLost = ({ status, mode }: EffectRow): boolean => status === 'started' && mode === 'once'

function toolKind(deps: KindsDeps): Kind<EffectOf<'tool.call'>> {
  return {
    asked(_, effects) {
      const hints = effects.map(({ id, queue }): Hint => ({ effectId: id, queue, dispatch: 0 }))
      if (hints.length > 0) void deps.dispatch(hints)
    },
    isForWorkers: (row) => !isLost(row),
    due: async (row) => deps.recorder.record(row, [await lostCall(deps, row, row.attempt)]),
    isAwaited: true,
    close: (row) => closedCall(deps, row),
  }
}

/** A question has no effect in the world: nobody waits for its end, and the end of the run closes it. */
function policyKind(deps: KindsDeps, background: Background): Kind<EffectOf<'policy.evaluate'>> {
  const performer = policyPerformer(deps)
  const take = (question: Parameters<typeof performer.perform>[0]): Promise<void> =>
    background.begin(() => performClaimed(deps, performer, question), {
      effectId: question.effectId,
      givenUp: performer.givenUp,
    })
  return {
    asked(view, effects) {
      const rootId = view.parent?.rootId ?? null
      const machineVersion = view.machine.version
      for (const effect of effects)
        void take({ ...view, effectId: effect.id, rootId, machineVersion, effect })
    },
    due: (row) => take({ ...row, effect: row.spec }),
    isAwaited: false,
    close: null,
  }
}

function runStartKind(deps: KindsDeps, background: Background): Kind<EffectOf<'run.start'>> {
  return {
    ...readAnew(deps, background, { kind: 'run.start', performer: runStartPerformer(deps) }),
    async close(row) {
      const child = row.status === 'started' ? await startedBy(deps, row) : null
      return child ?? closedCall(deps, row)
    },
  }
}

function recallKind(deps: KindsDeps, background: Background): Kind<EffectOf<'tool.recall'>> {
  const performer = recallPerformer(deps)
  return {
    ...readAnew(deps, background, { kind: 'tool.recall', performer }),
    close: (row: CallRow) => closedCall(deps, row),
  }
}

/** It is performed in the place of a model call. A process that makes none tells those who do, as of a model call. */
function compactionKind(
  deps: KindsDeps,
  background: Background,
): Kind<EffectOf<'context.compact'>> {
  const { models, wakeBus, register } = deps
  const take = (effectId: string): Promise<void> =>
    background.begin(
      async () => {
        if (deps.draining.aborted) return
        const found = await insist(deps, 'read effect', () => register.effect(effectId))
        const row = rowOf('context.compact', found)
        if (row) await models?.take(row)
      },
      { effectId, givenUp: summaryGivenUp },
    )
  return {
    asked(_, effects) {
      const ids = effects.map(({ id }) => id)
      if (models) for (const id of ids) void take(id)
      else wakeBus.publish('model', ids)
    },
    due: async ({ effectId }) => models && take(effectId),
    isAwaited: false,
    close: async (row) => abortedCompaction(deps.writer, row),
  }
}

/** A kind that is performed here, each by the row that is read for it. */
function readAnew<K extends EffectKind, T>(
  deps: KindsDeps,
  background: Background,
  { kind, performer }: { readonly kind: K; readonly performer: Performer<RowOf<EffectOf<K>>, T> },
) {
  const take = (effectId: string): Promise<void> =>
    background.begin(
      async () => {
        if (deps.draining.aborted) return
        const read = () => deps.register.effect(effectId)
        const row = rowOf(kind, await insist(deps, 'read effect', read))
        if (row) await performClaimed(deps, performer, row)
      },
      { effectId, givenUp: performer.givenUp },
    )
  return {
    asked: (_: RunView, effects: readonly Effect[]) => {
      for (const { id } of effects) void take(id)
    },
    due: ({ effectId }: EffectRow) => take(effectId),
    isAwaited: false,
  }
}

const webhookKind = (deps: KindsDeps, background: Background) =>
  outlivingKind(background, {
    perform: createDelivery(deps),
    givenUp: 'a webhook was not delivered',
  })

const titleKind = (deps: KindsDeps, background: Background) =>
  outlivingKind(background, {
    perform: createNaming({ ...deps, model: deps.models === null ? null : deps.model }),
    givenUp: 'a title was not made',
  })

const learnKind = (deps: KindsDeps, background: Background) =>
  outlivingKind(background, {
    perform: createLearning(deps),
    givenUp: 'a run was not learned from',
  })

/** A kind of effect that outlives its run: a cancel takes none of it back. */
function outlivingKind(
  background: Background,
  {
    perform,
    givenUp,
  }: { readonly perform: (effectId: string) => Promise<void>; readonly givenUp: string },
) {
  const take = (effectId: string): Promise<void> =>
    background.begin(() => perform(effectId), { effectId, givenUp })
  return {
    asked(_: RunView, effects: readonly Effect[]) {
      for (const { id } of effects) void take(id)
    },
    due: (row: EffectRow) => take(row.effectId),
    isAwaited: false,
    close: null,
  }
}
