/** Turns: a tenant with one call does not wait for another's thousand, wherever they wait for the same. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPlaces } from '../src/effects/places.ts'
import { createWaitingRoom } from '../src/effects/waiting-room.ts'

const call = (tenantId: string, n: number) => ({ tenantId, effectId: `${tenantId}.${n}` })
const many = (tenantId: string, count: number) =>
  Array.from({ length: count }, (_, n) => call(tenantId, n))

describe('who waits for a place', () => {
  it('is served second, behind one of a thousand that came before', () => {
    const room = createWaitingRoom(10_000)
    for (const one of [...many('a', 1000), call('b', 0)]) room.add(one)
    expect([room.next(), room.next(), room.next()]).toEqual(['a.0', 'b.0', 'a.1'])
  })

  it('waits once, however often it is announced', () => {
    const room = createWaitingRoom(10)
    for (const one of [call('a', 0), call('a', 1), call('a', 0)]) room.add(one)
    expect([room.next(), room.next(), room.next()]).toEqual(['a.0', 'a.1', undefined])
    expect(room.size).toBe(0)
  })

  it('has room when another has taken all of it: that one loses his newest', () => {
    const room = createWaitingRoom(3)
    for (const one of [...many('a', 3), call('b', 0)]) room.add(one)
    expect([1, 2, 3, 4].map(() => room.next())).toEqual(['a.0', 'b.0', 'a.1', undefined])
  })

  it('never waits for more than one of each other tenant, and keeps the order of its own', () => {
    const come = fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(come, (steps) => {
        const room = createWaitingRoom(1000)
        /** By tenant: what it has waiting, and who was served since it was first in line. */
        const lines = new Map<string, { ids: string[]; served: string[] }>()
        for (const [n, tenantId] of steps.entries()) {
          if (tenantId !== null) {
            room.add(call(tenantId, n))
            const line = lines.get(tenantId) ?? { ids: [], served: [] }
            lines.set(tenantId, { ...line, ids: [...line.ids, `${tenantId}.${n}`] })
            continue
          }
          const next = room.next()
          const [owner = ''] = (next ?? '').split('.')
          const line = lines.get(owner)
          expect(line?.ids[0]).toBe(next)
          const anybody = [...lines.values()].some(({ ids }) => ids.length > 0)
          expect(next !== undefined).toBe(anybody)
          for (const [tenant, other] of lines) {
            if (tenant === owner || other.ids.length === 0) continue
            expect(other.served).not.toContain(owner)
            other.served.push(owner)
          }
          if (line) lines.set(owner, { ids: line.ids.slice(1), served: [] })
        }
        expect(room.size).toBe([...lines.values()].reduce((sum, { ids }) => sum + ids.length, 0))
      }),
    )
  })
})

const setUp = (most: number) => {
  const draining = new AbortController()
  const began: string[] = []
  const ends: (() => void)[] = []
  const begin = (effectId: string): void => {
    began.push(effectId)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    places.hold(promise)
  }
  const nothing = new Set<string>()
  const places = createPlaces({
    most,
    draining: draining.signal,
    callIn: async (effectId) => {
      if (!nothing.has(effectId) && places.grant(effectId)) begin(effectId)
    },
  })
  return { places, began, begin, draining, nothing, end: () => ends.shift()?.() }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('places', () => {
  it('go to those who wait, in turns, before one that decides right now', async () => {
    const { places, began, begin, end } = setUp(1)
    expect(places.grant('a.0')).toBe(true)
    begin('a.0')
    for (const one of [call('a', 1), call('a', 2), call('b', 0)]) places.wait(one)
    expect(places.grant('a.3')).toBe(false)
    for (let n = 0; n < 3; n++) {
      end()
      await settle()
    }
    expect(began).toEqual(['a.0', 'a.1', 'b.0', 'a.2'])
    expect(places.grant('a.3')).toBe(false)
    end()
    await settle()
    expect(places.grant('a.3')).toBe(true)
  })

  it('are held by those who were called in and did not begin yet', () => {
    const calledIn: string[] = []
    const places = createPlaces({
      most: 2,
      draining: new AbortController().signal,
      callIn: (effectId) => {
        calledIn.push(effectId)
        return new Promise(() => {})
      },
    })
    for (const one of many('a', 4)) places.wait(one)
    expect(calledIn).toEqual(['a.0', 'a.1'])
    expect([places.grant('a.1'), places.grant('a.2')]).toEqual([true, false])
  })

  it('are not lost with one that came to nothing', async () => {
    const { places, began, begin, end, nothing } = setUp(1)
    begin('a.0')
    nothing.add('a.1').add('a.2')
    for (const one of [call('a', 1), call('a', 2), call('a', 3)]) places.wait(one)
    end()
    await settle()
    expect(began).toEqual(['a.0', 'a.3'])
  })

  it('are given to nobody while the process drains', async () => {
    const { places, began, begin, end, draining } = setUp(1)
    begin('a.0')
    places.wait(call('a', 1))
    draining.abort()
    end()
    await settle()
    expect(began).toEqual(['a.0'])
    expect(places.grant('b.0')).toBe(false)
  })
})
