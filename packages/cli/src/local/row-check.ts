/**
 * What the events of a run say of its row. By the row a run is found, shown and decided: whose it is, what it is pinned to, what it
 * goes on from and how it ended stand there as well as on the chain, and must be the same.
 */
import { same } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { at } from '@signalbox/core/text'

/** What the first event of a run says of it. */
export interface Pinned {
  readonly definitionHash: string
  readonly agent: unknown
  readonly machine: unknown
  readonly machineVersion: unknown
  readonly parent: unknown
  readonly base: unknown
}

/** Grows with the events. */
export interface SaidOfRow {
  /** Whose the run is; null before its first event. */
  readonly place: Pick<RunHead, 'tenantId' | 'threadId'> | null
  /** Null where the event that says so is gone, or says nothing. */
  readonly pinned: Pinned | null
  /** Null while it has none; undefined where a decision was erased, which may have been the last. */
  readonly outcome: unknown
}

export interface RowCheck {
  add(event: StoredEvent): void
  readonly said: SaidOfRow
}

export function createRowCheck(): RowCheck {
  let place: SaidOfRow['place'] = null
  let pinned: Pinned | null = null
  let outcome: unknown = null
  return {
    add(event) {
      place ??= { tenantId: event.tenantId, threadId: event.threadId }
      pinned ??= pinnedIn(event)
      if (event.type === 'run.transitioned' && outcome === null) outcome = event.payload['outcome']
    },
    said: {
      get place() {
        return place
      },
      get pinned() {
        return pinned
      },
      get outcome() {
        return outcome
      },
    },
  }
}

/** Is this the row of the run, as far as its events say? Its definition is looked at elsewhere. */
export function isRowOf(head: RunHead, { place, pinned, outcome }: SaidOfRow): boolean {
  if (place && (place.tenantId !== head.tenantId || place.threadId !== head.threadId)) return false
  if (outcome !== undefined && outcome !== head.outcome) return false
  if (!pinned) return true
  const { agent, machine, machineVersion, parent, base } = pinned
  return (
    agent === head.agent &&
    machine === head.machine &&
    machineVersion === head.machineVersion &&
    same(parentOf(parent), head.parent) &&
    same(base ?? null, head.base)
  )
}

/** As the row has it. */
const parentOf = (parent: unknown): RunHead['parent'] | object =>
  typeof parent === 'object' && parent !== null
    ? {
        runId: at(parent, 'runId'),
        effectId: at(parent, 'effectId'),
        rootId: at(parent, 'rootId'),
      }
    : null

function pinnedIn({ type, payload }: StoredEvent): Pinned | null {
  const { definitionHash, agent, machine, machineVersion, parent, base } = payload
  if (type !== 'run.created' || typeof definitionHash !== 'string') return null
  return { definitionHash, agent, machine, machineVersion, parent, base }
}
