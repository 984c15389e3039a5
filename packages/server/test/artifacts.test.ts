/** The artifacts of a run, folded from its events. Would catch: a list that grows without bound, a file that is gone, a name of work. */
import { limits } from '@signalbox/core'
import { expect, it } from 'vitest'
import { Artifacts } from '../src/files/artifacts.ts'

const file = (path: string, bytes = 1) => ({ path, key: path, bytes })
const gone = (path: string) => ({ path, key: null, bytes: 0 })

function folded(...events: readonly (readonly object[] | object)[]): Artifacts {
  const artifacts = new Artifacts()
  for (const files of events)
    artifacts.take({ payload: JSON.parse(JSON.stringify({ files })), salt: 'aa' })
  return artifacts
}

it('are the files under outputs/ that are there, as they were left', () => {
  const artifacts = folded(
    [file('outputs/b', 2), file('work/x'), file('outputs/a')],
    [file('outputs/a', 3), gone('outputs/b'), file('outputs.txt')],
  )
  expect([artifacts.list(), artifacts.more]).toEqual([[{ path: 'outputs/a', bytes: 3 }], 0])
  expect(artifacts.values).toEqual({ files: { 'outputs/a': { bytes: 3 } } })
})

it('are not what another one stands in the place of, as in the files themselves', () => {
  const below = folded([file('outputs/a/x'), file('outputs/a/y'), file('outputs/b')])
  below.take({ payload: { files: [file('outputs/a')] }, salt: 'aa' })
  expect(Object.keys(below.values.files ?? {})).toEqual(['outputs/a', 'outputs/b'])
  below.take({ payload: { files: [file('outputs/a/z')] }, salt: 'aa' })
  expect(Object.keys(below.values.files ?? {})).toEqual(['outputs/a/z', 'outputs/b'])
  expect(folded([file('outputs/a')], [file('outputs')]).values).toEqual({})
  expect(folded([file('outputs/a')], [gone('outputs')]).list()).toHaveLength(1)
})

it('are nothing where there are none, where an event was erased, and for another run', () => {
  expect(folded([file('work/x')]).values).toEqual({})
  const artifacts = new Artifacts()
  artifacts.take({ payload: {}, salt: '' })
  artifacts.take({ payload: { files: 'nonsense' }, salt: 'aa' })
  artifacts.take({ payload: { files: [file('outputs/a')] }, salt: 'aa' })
  artifacts.clear()
  expect(artifacts.values).toEqual({})
})

it(`are named up to ${limits.artifactsMax}, and the rest is counted, as are lists that stand elsewhere (C11)`, () => {
  const many = Array.from({ length: 64 }, (_, n) => file(`outputs/a${n}`))
  const more = Array.from({ length: 64 }, (_, n) => file(`outputs/b${n}`))
  const artifacts = folded(many, more, { manifest: 'k', count: 70 })
  expect(artifacts.list()).toHaveLength(100)
  expect(artifacts.more).toBe(28 + 70)
  expect(artifacts.values.files_more).toBe(98)
})
