/** Trees of runs over several processes: without wakes, with children nobody can read, and while a process stops. */
import { type AppendItem, type Engine, type Register, TerminalError } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import {
  ask,
  type Family,
  family as found,
  type FamilyParts,
  named,
  runsOf,
} from './support/family.ts'
import { carries, createsChild, deaf, gated, hurry, mortal } from './support/faulty.ts'
import { expectOneChild, pair, writer } from './support/pair.ts'
import { turnModel } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = found(parts))

const endsChild = ({ decision }: AppendItem): boolean => decision?.outcome === 'completed'

test('several processes that hear no wake: the tree comes to its end by polling', async () => {
  const { start, begin, register } = family({
    plays: {
      writer: turnModel([[ask('a'), ask('b')], 'done']),
      helper: turnModel([[ask('c', 'clerk')], 'helped']),
      clerk: turnModel(['noted']),
    },
    agents: [named('helper', [runsOf('clerk')]), named('clerk')],
  })
  const engines: Engine[] = []
  for (let n = 0; n < 3; n++) engines.push(await start({ wakeBus: deaf() }))
  const [engine] = engines
  if (!engine) throw new Error('nobody is there')
  const root = await begin(engine, writer())
  expect(await tree.ends()).toEqual(Array.from({ length: 5 }, () => 'completed'))
  expect(await tree.events(root, 'child.ended')).toHaveLength(2)
  expect(await register.children(root)).toHaveLength(2)
})

test('told by whoever finds it: however many processes look, a parent hears of each child once', async () => {
  const { start, begin, register } = family(pair())
  // The one that sees the end says nothing of it; then two look at once.
  const { register: dying, dead } = mortal(register, { before: (it) => carries(it, 'child.ended') })
  const root = await begin(await start({ register: dying }), writer())
  await dead
  await Promise.all([start(), start(), start()])
  await expectOneChild(tree, root)
})

test('a child about which nothing can be told does not hide the others', async () => {
  const { start, begin, child, outcome, register } = family(pair())
  // Two children end, and nobody gets through to their parents.
  const { register: mute, open } = gated(register, (item) => carries(item, 'child.ended'))
  const engine = await start({ register: mute })
  const [first, healthy] = [await begin(engine, writer()), await begin(engine, writer())]
  const poison = await child(first)
  await outcome(poison)
  await outcome(await child(healthy))
  let asked = 0
  const poisoned: Register = {
    ...register,
    events: (runId, options) => {
      if (runId !== poison) return register.events(runId, options)
      asked += 1
      return Promise.reject(new TerminalError('poison', 'not readable'))
    },
  }
  await start({ register: poisoned })
  expect(await outcome(healthy)).toBe('completed')
  expect(asked).toBeGreaterThan(0)
  open()
})

test('a child whose log cannot be read does not hide the others, and its parent reads so', async () => {
  const { start, begin, outcome, register, events } = family(pair())
  const { register: dying, dead } = mortal(register, { after: endsChild })
  const engine = await start({ register: dying })
  const poisoned = await begin(engine, writer())
  await dead
  const [child] = await register.children(poisoned)
  const log = register.tables.events.get(child?.runId ?? '') ?? []
  // As after an erasure: the words are gone.
  register.tables.events.set(
    child?.runId ?? '',
    log.map((event) => (event.type === 'model.completed' ? { ...event, payload: {} } : event)),
  )
  const healthy = await begin(await start(), writer())
  expect(await outcome(healthy)).toBe('completed')
  expect(await outcome(poisoned)).toBe('completed')
  const [ended] = await events(poisoned, 'child.ended')
  expect(ended?.payload).toMatchObject({ output: { isError: true }, outcome: 'completed' })
})

test('a process that stops while it starts a child leaves it to another', async () => {
  const { start, begin, register } = family(pair())
  const { register: slow, reached, open: goOn } = gated(register, createsChild)
  const first = await start({ register: slow })
  const root = await begin(first, writer())
  await reached
  await first.stop(0)
  await start()
  await expectOneChild(tree, root)
  goOn()
  expect(register.tables.runs.size).toBe(2)
})

test('a process that may take its time to stop starts the child first', async () => {
  const { start, begin, register } = family(pair())
  const { register: slow, reached, open: goOn } = gated(register, createsChild)
  const first = await start({ register: slow })
  const root = await begin(first, writer())
  await reached
  const stopped = first.stop(60_000)
  goOn()
  await stopped
  expect(await tree.events(root, 'child.started')).toHaveLength(1)
  await start()
  await tree.event(root, 'child.ended')
  hurry(register)
  await expectOneChild(tree, root)
})
