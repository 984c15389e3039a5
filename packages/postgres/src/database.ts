/** The tables of the schema `signalbox` as reads see them. Nothing here is ever written: see `append` in the migration. */
import type {
  AgentDefinition,
  Effect,
  EffectKind,
  EffectMode,
  JsonObject,
  Outcome,
  RunStatus,
  StateName,
} from '@signalbox/core'
import type { EffectRow, Multitask } from '@signalbox/engine'

/** Times and bytes are read through `inMs` and `inHex`, so their raw types are never seen. */
type Opaque = { readonly opaque: never }

export interface RunTable {
  id: string
  tenant_id: string
  thread_id: string
  agent: string
  definition_hash: string
  machine: string
  machine_version: number
  status: RunStatus
  state_name: StateName
  outcome: Outcome | null
  admitted: boolean
  ready: boolean
  cancel_requested: boolean
  seq: number
  facts: number
  decided: number
  head_hash: Opaque
  state: JsonObject | null
  metadata: JsonObject
  created_at: Opaque
  updated_at: Opaque
  /** All three null for a run that nobody started. */
  parent_id: string | null
  parent_effect: string | null
  root_id: string | null
  due_at: Opaque
  /** Null before it was admitted. */
  place: number | null
  /** Both null for a run that goes on from the one before it. */
  base_run: string | null
  base_seq: number | null
  priority: number
  laned: boolean
  hidden: boolean
  multitask: Multitask
}

export interface EventTable {
  run_id: string
  seq: number
  gpos: Opaque
  xid: Opaque
  at: Opaque
  tenant_id: string
  thread_id: string
  type: string
  type_version: number
  actor: string
  tool: string | null
  verdict: string | null
  key: string | null
  payload: JsonObject | null
  salt: Opaque | null
  payload_sha256: Opaque
  digest: Opaque
  hash: Opaque
}

export interface EffectTable {
  id: string
  run_id: string
  tenant_id: string
  kind: EffectKind
  queue: string
  mode: EffectMode
  tool: string | null
  status: EffectRow['status']
  attempt: number
  owner: string | null
  lease_until: Opaque | null
  due: Opaque
  next_look: Opaque
  dispatches: number
  announced: Opaque | null
  spec: Effect
}

export interface LaneTable {
  run_id: string
  key: string
  tenant_id: string
  most: number | null
  rate: number | null
  per_ms: number | null
  priority: number
  due_at: Opaque
  admitted_at: Opaque | null
  over: boolean
}

export interface Database {
  lane: LaneTable
  run: RunTable
  event: EventTable
  effect: EffectTable
  timer: { run_id: string; id: string; tenant_id: string; fire_at: Opaque }
  thread: {
    thread_id: string
    tenant_id: string
    metadata: JsonObject
    created_at: Opaque
    content_key: Opaque
    origin_run: string | null
    origin_seq: number | null
    hidden_at: Opaque | null
  }
  blob: { tenant_id: string; thread_id: string; key: string; mime: string; bytes: Buffer }
  definition: { hash: string; body: AgentDefinition }
  alias: { tenant_id: string; key: string; run_id: string; body_hash: string }
}
