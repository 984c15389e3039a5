/** The kinds of effects, asked about any effect: what follows a decision, what a look of the reconciler finds, what a cancel closes. */
import { type Effect, EffectKind } from '@signalbox/core'
import type { ClaimDraft, EffectRow, FactDraft } from '../ports.ts'
import type { RunView } from '../record/view.ts'
import { createKinds, type Kind, type Kinds, type KindsDeps } from './kinds.ts'
import { type EffectOf, isOf, type RowOf } from './row.ts'

export interface Work {
  /** A claim that travels with the decision which asks for the effect; null if it is to be claimed later. */
  claim(effect: Effect): ClaimDraft | null
  /** Follows a decision: performs what was claimed with it, and takes or announces the rest. */
  follow(view: RunView, effects: readonly Effect[], claimed: readonly Effect[]): void
  isForWorkers(row: EffectRow): boolean
  isAwaited(row: EffectRow): boolean
  /** Is its end to be recorded before its run may end? Of a kind that is newer than this build, other processes know. */
  isClosed(row: EffectRow): boolean
  due(row: EffectRow): Promise<unknown>
  /** The fact that closes an effect of a run that is to end; null where its end is not waited for. */
  close(row: EffectRow): Promise<FactDraft | null>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

export function createWork(deps: KindsDeps): Work {
  const performing = createKinds(deps)
  const { kinds } = performing
  return {
    claim: (effect) => claimOf(kinds, effect.kind, effect),
    follow(...decided) {
      for (const kind of EffectKind.options) followOf(kinds, kind, decided)
    },
    isForWorkers: (row) => byRow(kinds, row, (kind, it) => kind.isForWorkers?.(it) ?? false),
    isAwaited: (row) => kinds[row.spec.kind].isAwaited,
    isClosed: ({ kind }) => EffectKind.safeParse(kind).success && kinds[kind].close !== null,
    due: (row) => byRow(kinds, row, (kind, it) => kind.due(it)),
    close: async (row) => byRow(kinds, row, (kind, it) => kind.close?.(it) ?? null),
    idle: () => performing.idle(),
  }
}

const effectOf =
  <K extends EffectKind>(kind: K) =>
  (effect: Effect): effect is EffectOf<K> =>
    effect.kind === kind

function claimOf<K extends EffectKind>(
  kinds: Pick<Kinds, K>,
  kind: K,
  effect: Effect,
): ClaimDraft | null {
  return effectOf(kind)(effect) ? (kinds[kind].claim?.(effect) ?? null) : null
}

function followOf<K extends EffectKind>(
  kinds: Pick<Kinds, K>,
  kind: K,
  [view, effects, claimed]: Parameters<Work['follow']>,
): void {
  const entry: Kind<EffectOf<K>> = kinds[kind]
  const mine = effects.filter(effectOf(kind))
  for (const effect of mine) if (claimed.includes(effect)) entry.claimed?.(view, effect)
  const rest = mine.filter((effect) => !claimed.includes(effect))
  if (rest.length > 0) entry.asked(view, rest)
}

/** Asks the entry of a row's kind. */
function byRow<T>(
  kinds: Kinds,
  row: EffectRow,
  ask: <K extends EffectKind>(kind: Kind<EffectOf<K>>, row: RowOf<EffectOf<K>>) => T,
): T {
  const asked = <K extends EffectKind>(among: Pick<Kinds, K>, name: K): T => {
    if (!isOf(name, row)) throw new Error(`an effect has no kind: ${row.effectId}`)
    return ask<K>(among[name], row)
  }
  return asked(kinds, row.spec.kind)
}
