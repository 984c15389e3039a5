/** More model calls than this process makes at a time: the others wait for room, not for the reconciler. Summaries are among them. */
import { expect, test } from 'vitest'
import { byTurn, dumping, eventsOf, readerAgent, reads, said } from './support/compacting.ts'
import { counting } from './support/counting.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, turnModel, world } from './support/world.ts'

const runs = 5

test('calls that are announced while there is no room are made as soon as there is', async () => {
  let [running, most] = [0, 0]
  const { promise: busy, resolve: begun } = Promise.withResolvers<void>()
  const answers = turnModel(['done'])
  const { engine, register } = world({
    tools: functionTools({}),
    model: {
      call: async (request, sink, signal) => {
        running += 1
        most = Math.max(most, running)
        begun()
        await new Promise((resolve) => setTimeout(resolve, 20))
        running -= 1
        return answers.call(request, sink, signal)
      },
    },
    // The reconciler looks once, at the start: whatever it would find later comes too late for this test.
    settings: { modelConcurrency: 1, pollMs: 600_000 },
  })
  await engine.start()
  const create = (n: number) =>
    engine.commands.createRun({
      tenantId: 'default',
      actor: 'user:test',
      threadId: `t${n}`,
      definition: agent([]),
      input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
      metadata: {},
      alias: null,
    })
  const first = await create(0)
  await busy
  const others = Array.from({ length: runs - 1 }, (_, n) => create(n + 1))
  const created = [first, ...(await Promise.all(others))]
  for (const answer of created) {
    if (answer.code !== 'created') throw new Error(answer.code)
    while ((await register.head(answer.runId))?.status !== 'ended')
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(most).toBe(1)
  await engine.stop(1_000)
})

test('a summary takes the place of a model call: while it is made, a turn of another run waits', async () => {
  const begun = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const plays = byTurn(reads(12), async () => {
    begun.resolve()
    await opened.promise
    return said('Some are read.')
  })
  const counted = counting(plays, 32_000)
  const { engine, register } = world({
    tools: dumping(),
    model: counted.model,
    settings: { modelConcurrency: 1, pollMs: 600_000 },
  })
  await engine.start()
  const first = await begin(engine, readerAgent())
  await begun.promise
  const askedBefore = counted.requests.length
  const second = await begin(engine, readerAgent())
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(counted.requests).toHaveLength(askedBefore)
  opened.resolve()
  for (const runId of [first, second]) {
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect((await eventsOf(register, runId, 'context.compacted')).length).toBeGreaterThan(0)
  }
  await engine.stop(1_000)
})
