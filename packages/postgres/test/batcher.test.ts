/** The batcher alone, over a sender that the test controls: B1 to B4 of its head. */
import { limits } from '@signalbox/core'
import type { AppendResult } from '@signalbox/engine'
import { expect, it } from 'vitest'
import { Batcher, type BatchOptions } from '../src/register/batcher.ts'
import { type ItemParcel, rejected } from '../src/register/encode.ts'
import { newRun } from './support/drafts.ts'

interface Shipment {
  readonly parcels: readonly ItemParcel[]
  readonly arrive: () => void
}

function harness(maxInFlight: number, over: Partial<BatchOptions> = {}) {
  const shipments: Shipment[] = []
  const batcher = new Batcher(
    (parcels) =>
      new Promise((resolve) => {
        const results = parcels.map((parcel): AppendResult => rejected(parcel.item, parcel.runId))
        shipments.push({ parcels, arrive: () => resolve(results) })
      }),
    {
      maxInFlight,
      gatherItems: 1,
      gatherMs: 60_000,
      maxItems: limits.batchItemsMax,
      maxQueued: 1000,
      ...over,
    },
  )
  return { shipments, batcher }
}

const parcel = (runId: string, bytes = 10): ItemParcel => ({
  item: { tenantId: 't', runId },
  runId,
  json: '{}',
  bytes,
})

const turn = () => new Promise((resolve) => setImmediate(resolve))
const sent = (shipments: readonly Shipment[]) =>
  shipments.map((one) => one.parcels.map((each) => each.runId))

it('sends a lone item at once, and gathers what comes while all statements are out', async () => {
  const { shipments, batcher } = harness(1)
  const all = ['c', 'b', 'd', 'a'].map((id) => batcher.add(parcel(id)))
  expect(sent(shipments)).toEqual([['c']])
  shipments[0]?.arrive()
  await turn()
  expect(sent(shipments)).toEqual([['c'], ['a', 'b', 'd']])
  shipments[1]?.arrive()
  const results = await Promise.all(all)
  expect(results.map((result) => result.detail)).toEqual(['c', 'b', 'd', 'a'])
})

it('adds a statement to those that are out once enough items have gathered for each of them', async () => {
  const { shipments, batcher } = harness(3, { gatherItems: 2 })
  const add = (id: string) => void batcher.add(parcel(id))
  add('a')
  add('b')
  expect(sent(shipments)).toEqual([['a']])
  add('c')
  expect(sent(shipments)).toEqual([['a'], ['b', 'c']])
  for (const id of ['d', 'e', 'f']) add(id)
  expect(sent(shipments)).toHaveLength(2)
  add('g')
  expect(sent(shipments)[2]).toEqual(['d', 'e', 'f', 'g'])
  add('h')
  shipments[1]?.arrive()
  shipments[2]?.arrive()
  await turn()
  expect(sent(shipments)).toHaveLength(3)
  shipments[0]?.arrive()
  await turn()
  expect(sent(shipments)[3]).toEqual(['h'])
})

it('waits for company only for a while, if there is room', async () => {
  const { shipments, batcher } = harness(2, { gatherItems: 8, gatherMs: 5 })
  for (const id of ['a', 'b']) void batcher.add(parcel(id))
  await expect.poll(() => sent(shipments), { timeout: 20_000 }).toEqual([['a'], ['b']])
})

it('never has two items of one run under way, and keeps their order', async () => {
  const { shipments, batcher } = harness(4)
  const all = ['a', 'a', 'b', 'a'].map((id) => batcher.add(parcel(id)))
  expect(sent(shipments)).toEqual([['a'], ['b']])
  shipments[0]?.arrive()
  await turn()
  expect(sent(shipments)).toEqual([['a'], ['b'], ['a']])
  for (const n of [1, 2, 3]) {
    shipments[n]?.arrive()
    await turn()
  }
  expect(await Promise.all(all)).toHaveLength(4)
})

it('holds a batch to its limits of items and bytes', async () => {
  const { shipments, batcher } = harness(1)
  const first = batcher.add(parcel('first'))
  const many = Array.from({ length: 70 }, () => batcher.add(parcel(newRun().runId)))
  const big = Array.from({ length: 3 }, () =>
    batcher.add(parcel(newRun().runId, limits.batchBytesMax / 2)),
  )
  const huge = batcher.add(parcel(newRun().runId, limits.batchBytesMax * 2))
  const sizes: number[] = []
  for (let n = 0; n < 5; n += 1) {
    sizes.push(shipments[n]?.parcels.length ?? 0)
    shipments[n]?.arrive()
    await turn()
  }
  await Promise.all([first, huge, ...many, ...big])
  // 64; the six left with one big one (two would exceed the bytes); the other two big ones; the huge one alone.
  expect(sizes).toEqual([1, 64, 7, 2, 1])
})

it('refuses more than may wait', async () => {
  const { shipments, batcher } = harness(1, { maxQueued: 2 })
  const kept = ['a', 'b', 'c'].map((id) => batcher.add(parcel(id)))
  await expect(batcher.add(parcel('d'))).rejects.toThrow('busy')
  shipments[0]?.arrive()
  await turn()
  shipments[1]?.arrive()
  expect(await Promise.all(kept)).toHaveLength(3)
})
