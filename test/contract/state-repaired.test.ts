/**
 * A cached state that differs from the fold of its log, over Postgres, read by two processes at once: it is repaired once per
 * damage, told of once, and nobody decides from what was read before. Would catch: two repairs of one damage, and a damage that a
 * process brings back from its memory.
 */
import {
  decisionSchemas,
  type JsonObject,
  machines,
  newestOf,
  persist,
  revive,
} from '@signalbox/core'
import type { Engine, Model, Register, Role } from '@signalbox/engine'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { begin, caller, eventOf, outcomeOf } from '../../packages/engine/test/support/governed.ts'
import {
  agent,
  functionTools,
  toolSpec,
  turnModel,
  until,
  world,
} from '../../packages/engine/test/support/world.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const machine = newestOf(machines)
let client: pg.Client
beforeAll(async () => {
  client = new pg.Client(bench.database.adminUrl)
  await client.connect()
})
afterAll(() => client.end())

const running: Engine[] = []
afterEach(async () => {
  for (const engine of running.splice(0)) await engine.stop(0)
})

const pays = (n: number) => ({ tool: 'pay', args: { n } })
const turns = turnModel([[pays(0), pays(1)], [pays(2)], 'done'])
/** What a turn of `turns` counts. */
const turnTokens = 15
const definition = agent([toolSpec('pay')], { guardrails: { approvalTools: ['pay'] } })

/** Nothing is approved here, so nothing is performed but model calls. */
async function start(
  parts: { readonly register?: Register; readonly model?: Model; readonly roles?: Role[] } = {},
): Promise<Engine> {
  const { register = bench.register, model = turns, roles = ['orchestrator'] } = parts
  const { engine } = world({ register, model, roles, tools: functionTools({}) })
  running.push(engine)
  await engine.start()
  return engine
}

async function stop(engine: Engine): Promise<void> {
  running.splice(running.indexOf(engine), 1)
  await engine.stop(1_000)
}

const headOf = async (runId: string) => {
  const head = await bench.register.head(runId)
  if (!head?.state) throw new Error(`nothing is cached of ${runId}`)
  return { ...head, state: head.state }
}
const tokensIn = (state: JsonObject): number => revive(machine, state).context.tokens
const tokensOf = async (runId: string): Promise<number> => tokensIn((await headOf(runId)).state)

const isDecidedAfter = async (runId: string, decided: number): Promise<boolean> =>
  ((await bench.register.head(runId))?.decided ?? 0) > decided

const repairsOf = async (runId: string): Promise<number> =>
  (await bench.register.events(runId, {})).filter(({ type }) => type === 'state.repaired').length

/** Somebody edits the row. Answers the cursor of the decision that it stands at. */
async function damage(runId: string): Promise<number> {
  const head = await headOf(runId)
  const { name, context } = revive(machine, head.state)
  const state = persist({ name, context: { ...context, tokens: context.tokens + 400 } })
  const written = await client.query('update signalbox.run set state = $2 where id = $1', [
    runId,
    JSON.stringify(state),
  ])
  expect(written.rowCount).toBe(1)
  return head.decided
}

/** The n-th call that waits for a human is rejected, at this process. */
async function reject(engine: Engine, runId: string, n: number): Promise<void> {
  const { payload } = await eventOf(bench.register, runId, 'approval.requested', n)
  const { callId } = decisionSchemas['approval.requested'].parse(payload)
  const answer = { ...caller, runId, callId, decision: 'reject' } as const
  expect((await engine.commands.answerApproval(answer)).code).toBe('accepted')
}

/** A run that waits for two answers. Its process is gone. */
async function waiting(): Promise<string> {
  const first = await start()
  const runId = await begin(first, definition)
  await eventOf(bench.register, runId, 'approval.requested', 1)
  await stop(first)
  return runId
}

/** The turns, as soon as the test opens the door. */
function gated() {
  const door = Promise.withResolvers<void>()
  const model: Model = {
    call: async (...asked) => {
      await door.promise
      return turns.call(...asked)
    },
  }
  return { model, open: door.resolve }
}

/** The process whose turn it is to decide, and the cursor of the decision before. */
interface Turn {
  readonly of: number
  readonly after: number
}

/**
 * Repairs of one decision are written when two are about to be; of an older one, at once. While it is the turn of one process to decide, another one
 * comes too late, however slow the first is: who decides finds the damage, and both must.
 */
function meeting(runId: string) {
  const asked = new Map<number, number>()
  const answers = new Map<number, boolean[]>()
  let turn: Turn | null = null
  const registerOf = (process: number): Register => ({
    ...bench.register,
    append: async (item) => {
      const theirs = item.runId === runId && item.decision && turn?.of !== process ? turn : null
      if (theirs) await until(() => isDecidedAfter(runId, theirs.after))
      return bench.register.append(item)
    },
    repairState: async (run, repaired) => {
      const { decided } = repaired
      asked.set(decided, (asked.get(decided) ?? 0) + 1)
      await until(
        async () => (asked.get(decided) ?? 0) >= 2 || (await isDecidedAfter(run.runId, decided)),
      )
      const done = await bench.register.repairState(run, repaired)
      answers.set(decided, [...(answers.get(decided) ?? []), done])
      return done
    },
  })
  const take = (next: Turn | null): void => void (turn = next)
  return { registerOf, answers, take }
}

test('two processes that find it at once repair it once; damaged again, it is repaired again', async () => {
  const runId = await waiting()
  const decided = await damage(runId)
  const { registerOf, answers, take } = meeting(runId)
  const { model, open } = gated()
  take({ of: 0, after: decided })
  const two = [
    await start({ register: registerOf(0), model }),
    await start({ register: registerOf(1), model }),
  ] as const
  await reject(two[0], runId, 0)
  await until(() => isDecidedAfter(runId, decided))
  const { decided: between } = await headOf(runId)
  take({ of: 1, after: between })
  await reject(two[1], runId, 1)
  await until(() => isDecidedAfter(runId, between))
  const { decided: last } = await headOf(runId)
  // Nothing else is decided before the model answers.
  await until(async () => answers.get(last)?.length === 2)
  expect(answers.get(last)?.filter((done) => done)).toHaveLength(1)
  expect(await repairsOf(runId)).toBe(1)
  expect(await tokensOf(runId)).toBe(turnTokens)
  take(null)
  open()
  await eventOf(bench.register, runId, 'approval.requested', 2)
  expect(await tokensOf(runId)).toBe(2 * turnTokens)
  for (const engine of two) await stop(engine)
  expect(await repairsOf(runId)).toBe(1)

  await damage(runId)
  const again = gated()
  const third = await start({ model: again.model })
  await reject(third, runId, 2)
  await until(async () => (await repairsOf(runId)) === 2)
  expect(await tokensOf(runId)).toBe(2 * turnTokens)
  again.open()
  expect(await outcomeOf(bench.register, runId)).toBe('completed')
  await stop(third)
  expect(await tokensOf(runId)).toBe(3 * turnTokens)
  expect(await repairsOf(runId)).toBe(2)
})

test('a process that lost the race for a decision, and read the damage then, goes on from what was repaired', async () => {
  const runId = await waiting()
  const decided = await damage(runId)
  const [arrived, reloaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const decidedFrom: number[] = []
  let hasLost = false
  const winner: Register = {
    ...bench.register,
    append: async (item) => {
      if (item.runId === runId && item.decision) await arrived.promise
      return bench.register.append(item)
    },
    repairState: async (run, repaired) => {
      await reloaded.promise
      return bench.register.repairState(run, repaired)
    },
  }
  const loser: Register = {
    ...bench.register,
    append: async (item) => {
      if (item.runId !== runId || !item.decision) return bench.register.append(item)
      arrived.resolve()
      if (!hasLost) await until(() => isDecidedAfter(runId, decided))
      const answer = await bench.register.append(item)
      if (hasLost && answer.decisionCode === 'ok') decidedFrom.push(tokensIn(item.decision.state))
      hasLost = true
      return answer
    },
    tail: async (id, after) => {
      const tail = await bench.register.tail(id, after)
      if (hasLost && id === runId) reloaded.resolve()
      return tail
    },
  }
  const wins = await start({ register: winner })
  await start({ register: loser })
  // It only records: the other two find the answer in the register.
  const records = await start({ roles: ['worker'] })
  await reject(records, runId, 0)
  await until(async () => (await repairsOf(runId)) === 1)
  expect(hasLost).toBe(true)
  await stop(wins)
  await reject(records, runId, 1)
  await eventOf(bench.register, runId, 'approval.requested', 2)
  // The register may show the decision before its answer has reached the process that wrote it.
  await until(async () => decidedFrom.length === 2)
  expect(decidedFrom).toEqual([turnTokens, 2 * turnTokens])
  await reject(records, runId, 2)
  expect(await outcomeOf(bench.register, runId)).toBe('completed')
  expect(await repairsOf(runId)).toBe(1)
})

test('what was read before the repair, and decided after it, is decided anew', async () => {
  const runId = await waiting()
  await damage(runId)
  const [reads, isRepaired] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const over = Promise.withResolvers<void>()
  const decidedFrom: number[] = []
  let decisions = 0
  const first: Register = {
    ...bench.register,
    append: async (item) => {
      const isSecond = item.runId === runId && item.decision && ++decisions > 1
      if (isSecond) await over.promise
      return bench.register.append(item)
    },
    repairState: async (run, repaired) => {
      await reads.promise
      const done = await bench.register.repairState(run, repaired)
      isRepaired.resolve()
      return done
    },
  }
  const second: Register = {
    ...bench.register,
    append: async (item) => {
      if (item.runId !== runId || !item.decision) return bench.register.append(item)
      reads.resolve()
      await isRepaired.promise
      const answer = await bench.register.append(item)
      if (answer.decisionCode === 'ok') decidedFrom.push(tokensIn(item.decision.state))
      return answer
    },
  }
  const { decided } = await headOf(runId)
  await start({ register: first })
  const records = await start({ roles: ['worker'] })
  await reject(records, runId, 0)
  await until(() => isDecidedAfter(runId, decided))
  await start({ register: second })
  await reject(records, runId, 1)
  await eventOf(bench.register, runId, 'approval.requested', 2)
  // The register may show the decision before its answer has reached the process that wrote it.
  await until(async () => decidedFrom.length === 2)
  expect(decidedFrom).toEqual([turnTokens, 2 * turnTokens])
  expect(await repairsOf(runId)).toBe(1)
  over.resolve()
})
