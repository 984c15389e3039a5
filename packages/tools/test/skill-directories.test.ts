/** The directories of skills on the disk of a worker. Would catch: a worker that lives for weeks, and whose skills are gone. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleOf } from '@signalbox/engine'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SkillDirectories } from '../src/skills/skill-directories.ts'

const hourMs = 3_600_000
const bundle = bundleOf([{ path: 'SKILL.md', bytes: Buffer.from('Add up.'), executable: false }])
const skills = [{ name: 'sums', bundle }]

let base: string
let now = 0
let directories: SkillDirectories

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'skill-directories-'))
  now = 0
  directories = new SkillDirectories(base, () => now)
})
afterEach(async () => {
  await directories.close()
  await rm(base, { recursive: true, force: true })
})

const textIn = (path: string): string => readFileSync(join(path, 'sums', 'SKILL.md'), 'utf8')

it('a set of skills is written once, and found again', async () => {
  const [one, other] = [await directories.open(skills), await directories.open(skills)]
  expect(other.path).toBe(one.path)
  one.release()
  now += 23 * hourMs
  expect((await directories.open(skills)).path).toBe(one.path)
})

it('one that is a day old is written anew, and stays until the last call that uses it is over', async () => {
  const [one, other] = [await directories.open(skills), await directories.open(skills)]
  now += 24 * hourMs
  const anew = await directories.open(skills)
  expect(anew.path).not.toBe(one.path)
  expect(textIn(anew.path)).toBe('Add up.')
  one.release()
  expect(textIn(one.path)).toBe('Add up.')
  other.release()
  await vi.waitFor(() => expect(existsSync(one.path)).toBe(false))
  expect(textIn(anew.path)).toBe('Add up.')
})

it('what somebody has removed meanwhile is there again a day later', async () => {
  const one = await directories.open(skills)
  one.release()
  rmSync(join(one.path, '..'), { recursive: true })
  now += 24 * hourMs
  expect(textIn((await directories.open(skills)).path)).toBe('Add up.')
})
