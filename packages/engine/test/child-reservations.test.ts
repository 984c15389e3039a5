/** What a call holds of the budget of its tree is given back, whatever becomes of it: G2 of `ports/budget.ts`. */
import type { Model } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { helper, look, observed, writer } from './support/budget.ts'
import { aborted, ask, type Family, family as open, type FamilyParts } from './support/family.ts'
import { named, runsOf, silent, wordsIn } from './support/family.ts'
import { expire, mortal } from './support/faulty.ts'
import { caller } from './support/governed.ts'
import { functionTools, turnModel, until } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = open(parts))

const openReservations = (): string[] =>
  [...tree.register.tables.budgets.values()].flatMap(({ reservations }) =>
    [...reservations].flatMap(([effectId, { open: isOpen }]) => (isOpen ? [effectId] : [])),
  )

test('what an aborted call held is given back', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { start, begin, outcome, child, register } = family({
    plays: {
      writer: turnModel([[ask('a'), ask('b')], 'done']),
      helper: {
        call: (request, sink, signal) =>
          (wordsIn(request.prompt) === 'a' ? silent(resolve) : turnModel(['helped'])).call(
            request,
            sink,
            signal,
          ),
      },
    },
    agents: [helper()],
  })
  const engine = await start()
  const root = await begin(engine, writer({}))
  await begun
  await tree.event(root, 'child.ended')
  expect(openReservations()).toHaveLength(1)
  const below = [await child(root, 0), await child(root, 1)]
  for (const runId of below) await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
  expect(await outcome(root)).toBe('completed')
  await until(async () => openReservations().length === 0)
  expect(register.tables.runs.size).toBe(3)
})

/** A tool that never comes back by itself: whoever called it stays alive. */
const waiting = () => functionTools({ look: async (_args, signal) => aborted(signal) })

/** Plays `first` once, then `then`. */
function firstly(first: Model, then: Model): Model {
  let n = 0
  return { call: (...asked) => (n++ === 0 ? first : then).call(...asked) }
}

/** What a turn of `turnModel` uses. */
const turnUses = { tokens: 15, cost: 3 * 10 + 15 * 5 }

test('what a dead process held is reserved anew, and its turn counts once', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { start, begin, child, event, register } = family({
    plays: {
      writer: turnModel([[ask('a')], [look]]),
      helper: firstly(silent(resolve), turnModel(['helped'])),
    },
    agents: [helper()],
    tools: waiting(),
  })
  const { register: dying, kill } = mortal(register)
  const root = await begin(await start({ register: dying }), writer({}))
  await begun
  await event(root, 'child.started')
  kill()
  expect(openReservations()).toHaveLength(1)
  await expire(register, await child(root))
  await start()
  await until(async () => register.tables.budgets.get(root)?.spent.calls)
  // The turn of the child, and the one of the root that asks for its call.
  const { tokens, cost } = turnUses
  expect(register.tables.budgets.get(root)?.spent).toEqual({
    turns: 2,
    calls: 1,
    tokens: 2 * tokens,
    cost: 2 * cost,
  })
})

test('what a dead process held for a run that is cancelled is given back', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { start, begin, child, event, outcome, register } = family({
    plays: { writer: turnModel([[ask('a'), look]]), helper: silent(resolve) },
    agents: [helper()],
    tools: waiting(),
  })
  const { register: dying, kill } = mortal(register)
  const root = await begin(await start({ register: dying }), writer({}))
  await begun
  await event(root, 'child.started')
  kill()
  const below = await child(root)
  const teller = await start({ roles: [] })
  await teller.commands.cancel({ ...caller, runId: below, action: 'interrupt' })
  expect(openReservations()).toHaveLength(1)
  await expire(register, below)
  await start()
  expect(await outcome(below)).toBe('cancelled')
  await until(async () => openReservations().length === 0)
  expect((await register.head(root))?.status).toBe('running')
  expect([...register.tables.budgets.keys()]).toEqual([root])
})

/** A provider that is busy. */
const overloaded: Model = {
  call: async (request, sink, signal) => ({
    ...(await turnModel(['']).call(request, sink, signal)),
    verdict: 'error',
    message: { id: request.messageId, role: 'assistant', parts: [] },
    error: { class: 'overloaded', retryable: true, message: 'busy' },
  }),
}

test('a call that is retried is one turn, and each try gives back what it held', async () => {
  const { start, begin, register } = family({
    plays: {
      writer: turnModel([[ask('a')], [look]]),
      helper: firstly(overloaded, turnModel(['helped'])),
    },
    agents: [helper()],
    tools: waiting(),
  })
  const { seen, asked } = observed(register)
  const root = await begin(await start({ register: seen }), writer({}))
  await until(async () => register.tables.budgets.get(root)?.spent.calls)
  expect(asked.map(({ reservation }) => reservation.turns)).toEqual([1, 0, 1, 0])
  expect(register.tables.budgets.get(root)?.spent).toMatchObject({
    turns: 2,
    calls: 1,
    tokens: 3 * turnUses.tokens,
  })
  // Only the call that is under way.
  expect(openReservations()).toHaveLength(1)
})

test('a run that starts none has no budget to share, and asks for none', async () => {
  const { start, begin, outcome, register } = family({
    plays: { writer: turnModel([[look], [look], 'done']) },
    tools: functionTools({ look: async () => 'seen' }),
  })
  const { seen, asked, spent, opened } = observed(register)
  const root = await begin(await start({ register: seen }), writer({}))
  expect(await outcome(root)).toBe('completed')
  expect([asked, spent, opened]).toEqual([[], [], []])
})

test('a tree has one budget, however deep it is', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { start, begin, register } = family({
    plays: {
      writer: turnModel([[ask('a')]]),
      helper: turnModel([[ask('b', 'clerk')]]),
      clerk: silent(resolve),
    },
    agents: [named('helper', [runsOf('clerk')]), named('clerk')],
  })
  const root = await begin(await start(), writer({}))
  await begun
  expect([...register.tables.budgets.keys()]).toEqual([root])
})
