/** What a run of CI plays of the long crosses. Would catch: a kind that no run plays, a sample that is the same for ever. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sampled } from '../../scripts/ci/sampled.ts'
import { numberOf, treeNumber } from '../../scripts/ci/tree-number.ts'

const cases = Array.from({ length: 30 }, (_, n) => ({
  name: n,
  group: n < 2 ? 'small' : n < 9 ? 'middle' : 'large',
  oneIn: 4,
}))

it('every number takes some of each group, and numbers that follow each other take all', () => {
  const met = new Set<number>()
  for (let number = 5; number < 9; number += 1) {
    const part = sampled(cases, number)
    expect(new Set(part.map(({ group }) => group))).toEqual(new Set(['small', 'middle', 'large']))
    expect(part).toHaveLength(1 + 2 + 6)
    expect(sampled(cases, number)).toEqual(part)
    for (const { name } of part) met.add(name)
  }
  expect(met.size).toBe(cases.length)
})

it('the number of a tree follows from its hash; without one it is 1', () => {
  const hash = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  expect(numberOf(hash)).toBe(numberOf(hash))
  expect(numberOf(hash)).not.toBe(numberOf(`5${hash.slice(1)}`))
  const bare = mkdtempSync(join(tmpdir(), 'signalbox-no-tree-'))
  expect(treeNumber(bare)).toEqual({ number: 1, of: 'no tree of git' })
  rmSync(bare, { recursive: true })
})
