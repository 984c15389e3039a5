/** A signal in a stream and what must become of it. */
import { expect } from 'vitest'
import type { StreamVerdict } from '@signalbox/core'
import { askStream, callsOf, type Provider } from './call.ts'
import type { Loopback } from './loopback.ts'
import type { Event } from './wire-bytes.ts'
import { canary } from './wire-events.ts'

export interface SignalRow {
  readonly signal: string
  readonly provider: Provider
  readonly events: readonly Event[]
  readonly verdict: StreamVerdict
  /** `unified/raw` of the package; `none` without a finish part. */
  readonly finish: string
  /** `detector field=value`, all of it. */
  readonly evidence?: readonly string[]
  readonly errorClass?: string
}

/** Replays the row: the verdict is ours, the finish is the package's, and no call comes out (I23). */
export async function checkSignal(loopback: Loopback, row: SignalRow): Promise<void> {
  const { turn, deltas } = await askStream(loopback, { provider: row.provider }, row.events)

  expect(turn.verdict).toBe(row.verdict)
  expect(turn.finish ? `${turn.finish.unified}/${turn.finish.raw}` : 'none').toBe(row.finish)
  expect(turn.evidence.map((it) => `${it.detector} ${it.field}=${it.value}`)).toEqual(
    row.evidence ?? [],
  )
  expect(turn.error?.class).toBe(row.errorClass)
  expect(callsOf(turn)).toEqual([])
  expect(JSON.stringify([turn, deltas])).not.toContain(canary)
}
