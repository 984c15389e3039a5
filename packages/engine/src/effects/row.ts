/** Rows of effects by their kind. */
import type { Effect, EffectKind } from '@signalbox/core'
import type { EffectRow } from '../ports.ts'

export type EffectOf<K extends EffectKind> = Extract<Effect, { readonly kind: K }>

/** The row of an effect of one kind. */
export type RowOf<E extends Effect> = EffectRow & { readonly spec: E }

/** The row of an effect, if it is of the kind. */
export const rowOf = <K extends EffectKind>(
  kind: K,
  row: EffectRow | null | undefined,
): RowOf<EffectOf<K>> | null => (row && isOf(kind, row) ? row : null)

export const isOf = <K extends EffectKind>(kind: K, row: EffectRow): row is RowOf<EffectOf<K>> =>
  row.spec.kind === kind
