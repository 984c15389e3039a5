/** Between the port and the function `append`: how an item travels, and what comes back. */
import { limits } from '@signalbox/core'
import type { AppendItem, AppendResult } from '@signalbox/engine'
import { DatabaseError } from 'pg'

/** An item on its way. */
export interface ItemParcel {
  readonly item: AppendItem
  /** Lower case: the order of texts is then the order of uuids. */
  readonly runId: string
  readonly json: string
  readonly bytes: number
}

/** A single item may be this large: a turn of `limits.turnBytesMax` and what JSON makes of it. */
const itemBytesMax = 4 * limits.turnBytesMax

/** Wraps an item for the way. Answers the refusal instead if the item could never be written. */
export function wrap(item: AppendItem): ItemParcel | AppendResult {
  const { decision } = item
  const json = JSON.stringify(
    // The state travels as text: its size as JSON is what is limited, and jsonb has another one.
    decision === undefined
      ? item
      : { ...item, decision: { ...decision, state: JSON.stringify(decision.state) } },
  )
  const bytes = Buffer.byteLength(json)
  if (bytes > itemBytesMax) return rejected(item, 'item_too_large')
  return { item, runId: item.runId.toLowerCase(), json, bytes }
}

/** The answer for an item of which nothing was written. */
export function rejected(item: AppendItem, detail: string): AppendResult {
  return {
    code: 'rejected',
    detail,
    runId: item.runId,
    admitted: false,
    seq: 0,
    facts: 0,
    decided: 0,
    factCodes: [],
    decisionCode: null,
    claims: [],
  }
}

/** The part of an item that stands without its decision: the claims that came with it fall with it. */
export function undecidedItem(item: AppendItem): AppendItem {
  const { decision: _decision, claims: _claims, ...rest } = item
  return rest
}

/** The answer for an item of which all was appended but its decision. */
export const withoutDecision = (
  { claims = [] }: AppendItem,
  result: AppendResult,
  detail: string,
): AppendResult =>
  result.code === 'ok'
    ? {
        ...result,
        detail,
        decisionCode: 'rejected',
        claims: claims.map(({ effectId }) => ({ effectId, code: 'gone', attempt: 0 })),
      }
    : result

/** Did the database refuse the statement itself, its connection being fine? */
export function isStatementError(error: unknown): error is DatabaseError {
  return (
    error instanceof DatabaseError &&
    error.code !== undefined &&
    // 08 connection, 53 out of resources, 57 shut down or cancelled, 58 and XX broken server: not the item's doing.
    !/^(?:08|53|57|58|XX)/.test(error.code)
  )
}

/** Is the item itself to blame: data (22), constraints (23), limits of the database (54)? Then why, else null. */
export function faultOfItem(error: unknown): string | null {
  if (!(error instanceof DatabaseError) || !/^(?:22|23|54)/.test(error.code ?? '')) return null
  // Never `error.detail`: it quotes the values (I20).
  const cause = error.constraint ?? error.message
  return `sql_${error.code}: ${cause.slice(0, limits.idCharsMax)}`
}
