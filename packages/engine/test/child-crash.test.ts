/** A tree of runs while processes die and answers are lost: one child per call, and no run waits for ever. */
import { type AppendItem, systemClock, systemRandom } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { createWriter } from '../src/record/draft.ts'
import { ask, type Family, family as found, type FamilyParts, named } from './support/family.ts'
import { resultsIn, runsOf, silent } from './support/family.ts'
import {
  carries,
  createsChild,
  expire,
  gated,
  hurry,
  mortal,
  withAppend,
} from './support/faulty.ts'
import { caller } from './support/governed.ts'
import { expectOneChild, pair, writer } from './support/pair.ts'
import { turnModel, until } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = found(parts))

const asksForRun = (item: AppendItem): boolean =>
  item.decision?.effects.some(({ kind }) => kind === 'run.start') ?? false

const endsChild = (item: AppendItem): boolean =>
  item.decision?.status === 'ended' && item.decision.outcome === 'completed'

const claims = (item: AppendItem): boolean => item.claims !== undefined && item.facts === undefined

/** Where the process dies that starts the child. */
const deaths: Readonly<Record<string, Parameters<typeof mortal>[1]>> = {
  'after the decision that asks for it': { after: asksForRun },
  'after the claim': { after: claims },
  'before its creation': { before: createsChild },
  'between its creation and child.started': { after: createsChild },
  'before child.started': { before: (item) => carries(item, 'child.started') },
  'after child.started': { after: (item) => carries(item, 'child.started') },
  'at the end of the child, before child.ended': { after: endsChild },
  'before child.ended': { before: (item) => carries(item, 'child.ended') },
  'after child.ended': { after: (item) => carries(item, 'child.ended') },
}

test.each(Object.keys(deaths))('a process dies %s: another one goes on', async (when) => {
  const { start, begin, register } = family(pair())
  const { register: dying, dead } = mortal(register, deaths[when] ?? {})
  const engine = await start({ register: dying })
  const root = await begin(engine, writer())
  await dead
  for (const runId of register.tables.runs.keys()) await expire(register, runId)
  hurry(register)
  await start()
  await expectOneChild(tree, root)
})

test('dead between creation and child.started, and cancelled meanwhile: the child is found and cancelled', async () => {
  const { start, begin, register } = family({
    ...pair(),
    plays: { writer: turnModel([[ask('go')]]), helper: silent() },
  })
  const { register: dying, dead } = mortal(register, { after: createsChild })
  const root = await begin(await start({ register: dying }), writer())
  await dead
  // Nobody who decides is there to hear it.
  const teller = await start({ roles: [] })
  await teller.commands.cancel({ ...caller, runId: root, action: 'interrupt' })
  for (const runId of register.tables.runs.keys()) await expire(register, runId)
  await start()
  expect(await tree.ends()).toEqual(['cancelled', 'cancelled'])
  expect(await tree.events(root, 'child.started')).toHaveLength(1)
  expect(await tree.events(root, 'child.ended')).toHaveLength(1)
})

/** The decision with which the root leaves its children behind. */
const leaves = ({ decision }: AppendItem): boolean =>
  decision?.stateName === 'cancelling' || decision?.outcome === 'failed'

test.each(['cancelled', 'failed'])(
  'dead right after a parent is %s: another process finds the child, and cancels it',
  async (outcome) => {
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
    const { start, begin, event, register } = family({
      ...pair(),
      plays: { writer: turnModel([[ask('go')]]), helper: silent(begins) },
    })
    const { register: dying, dead } = mortal(register, { after: leaves })
    const engine = await start({ register: dying })
    const root = await begin(engine, writer())
    await begun
    await event(root, 'child.started')
    if (outcome === 'failed') await poison(root)
    else
      void engine.commands.cancel({ ...caller, runId: root, action: 'interrupt' }).catch(() => {})
    await dead
    for (const runId of register.tables.runs.keys()) await expire(register, runId)
    await start()
    expect(await tree.ends()).toEqual([outcome, 'cancelled'])
  },
)

/** A fact that cannot be read. */
async function poison(runId: string): Promise<void> {
  const draft = createWriter({ actor: 'test', clock: systemClock, random: systemRandom })
  const fact = { ...draft.fact('run.admitted', {}, { key: 'poison' }), type: 'tool.completed' }
  await tree.register.append({ tenantId: 'default', runId, facts: [fact] })
}

test('a process that polls only once: all of it follows from the decisions', async () => {
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
  const { start, begin, ends } = family({
    plays: {
      writer: turnModel([[ask('go')], [ask('go', 'clerk')], 'done']),
      helper: turnModel(['helped']),
      clerk: silent(begins),
    },
    agents: [named('helper'), named('clerk')],
  })
  const engine = await start({ settings: { pollMs: 3_600_000, renewMs: 3_600_000 } })
  const root = await begin(engine, named('writer', [runsOf('helper'), runsOf('clerk')]))
  await begun
  await engine.commands.cancel({ ...caller, runId: root, action: 'interrupt' })
  expect(await ends()).toEqual(['cancelled', 'completed', 'cancelled'])
})

test('what was started counts, whatever would be said of it now', async () => {
  const { start, begin, register } = family(pair())
  const { register: dying, dead } = mortal(register, { after: createsChild })
  const root = await begin(await start({ register: dying }), writer())
  await dead
  for (const runId of register.tables.runs.keys()) await expire(register, runId)
  // The agent is gone from the configuration.
  await start({ agents: () => null })
  await expectOneChild(tree, root)
})

test('two processes that both take themselves for its starter start one child', async () => {
  const { start, begin, register } = family(pair())
  const answers: string[] = []
  const noted = withAppend(register, async (item, next) => {
    const result = await next(item)
    if (createsChild(item)) answers.push(result.code)
    return result
  })
  const { register: slow, reached, open: goOn } = gated(noted, createsChild)
  const root = await begin(await start({ register: slow }), writer())
  await reached
  await expire(register, root)
  await start({ agents: () => named('helper', [], { limits: { maxTurns: 7 } }) })
  await expectOneChild(tree, root)
  goOn()
  await until(async () => answers.length)
  expect(answers).toEqual(['exists'])
  expect(register.tables.runs.size).toBe(2)
})

test('a child that has ended before its beginning is recorded settles its call', async () => {
  const { start, begin, register } = family(pair())
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const codes: unknown[] = []
  const late = withAppend(register, async (item, next) => {
    if (carries(item, 'child.started')) await told
    const result = await next(item)
    if (carries(item, 'child.started')) codes.push(...result.factCodes)
    return result
  })
  const root = await begin(await start({ register: late }), writer())
  await tree.event(root, 'child.ended')
  tell()
  await expectOneChild(tree, root)
  await until(async () => codes.length)
  expect(['fenced', 'ended']).toContain(codes[0])
  expect(await tree.events(root, 'child.started')).toEqual([])
})

test('every answer to a fact is lost once: each is repeated, and nothing happens twice', async () => {
  const { start, begin, register } = family(pair())
  const lost = new Set<string>()
  const forgetful = withAppend(register, async (item, next) => {
    const result = await next(item)
    const id = JSON.stringify(item)
    if (item.facts === undefined || lost.has(id)) return result
    lost.add(id)
    throw new Error('the answer is lost')
  })
  // What was claimed in an append whose answer is lost waits until its lease is over.
  const settings = { leaseMs: 300, renewMs: 100 }
  const root = await begin(await start({ register: forgetful, settings }), writer())
  await expectOneChild(tree, root)
})

test('a child that the register refuses for good is a failed call', async () => {
  const { start, begin, outcome, register, asked } = family(pair())
  const refusing = withAppend(register, async (item, next) =>
    createsChild(item)
      ? { ...(await next({ tenantId: 'x', runId: 'x' })), code: 'rejected', detail: 'too large' }
      : next(item),
  )
  const root = await begin(await start({ register: refusing }), writer())
  expect(await outcome(root)).toBe('completed')
  expect(resultsIn(asked.at(-1)?.prompt)[0]).toContain('(child_rejected)')
})
