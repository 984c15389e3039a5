/** Creates that look at the other runs of their thread: races from several processes. The rest says the differential test. */
import type { Multitask } from '@signalbox/engine'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRegister } from '../src/register/register.ts'
import { about, creation, fact, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

/** Batches of one from several processes, so that the appends really meet. */
let registers: ReturnType<typeof createRegister>[]
beforeAll(() => {
  registers = Array.from({ length: 6 }, () =>
    createRegister({ engineUrl: bench.database.engineUrl, batch: { maxItems: 1 } }),
  )
})
afterAll(() => Promise.all(registers.map((register) => register.close())))

const race = async (multitask: Multitask) => {
  const threadId = uuid7()
  const runs = registers.map(() => newRun({ threadId }))
  const answers = await Promise.all(
    registers.map((register, n) => {
      const run = runs[n] ?? newRun()
      const item = creation(run, { multitask })
      const admitted = fact('run.admitted', 'admitted')
      return register.append({ ...item, admit: true, facts: [...(item.facts ?? []), admitted] })
    }),
  )
  return { threadId, runs, answers }
}

it('of creates that reject, exactly one is there', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { runs, answers } = await race('reject')
    const codes = answers.map(({ code }) => code).toSorted()
    expect(codes).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'ok'])
    const heads = await Promise.all(runs.map(({ runId }) => bench.register.head(runId)))
    expect(heads.filter((head) => head !== null)).toHaveLength(1)
  }
})

it('of creates that interrupt, exactly one is not superseded, and it is the one that came last', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { threadId, runs } = await race('interrupt')
    const thread = { tenantId: 'acme', threadId }
    // Of creates within a millisecond each is due a millisecond after the one before, and interrupts nobody until it is due.
    await new Promise((resolve) => setTimeout(resolve, 10))
    const superseded = new Set(
      (await bench.register.superseded(1000, thread)).map(({ runId }) => runId),
    )
    const heads = await Promise.all(runs.map(({ runId }) => bench.register.head(runId)))
    const last = heads.toSorted((a, b) => (a?.dueAt ?? 0) - (b?.dueAt ?? 0)).at(-1)
    expect(new Set(heads.map((head) => head?.dueAt)).size).toBe(runs.length)
    expect(runs.map(({ runId }) => runId).filter((id) => !superseded.has(id))).toEqual([
      last?.runId,
    ])
  }
})

it('a delayed run is not admitted before it is due, and is then found', async () => {
  const run = newRun({ threadId: uuid7() })
  await bench.register.append(creation(run, { delayMs: 300 }))
  const admit = { ...about(run), admit: true, facts: [fact('run.admitted', 'admitted')] }
  expect(await bench.register.append(admit)).toMatchObject({ factCodes: ['not_admitted'] })
  expect(await bench.register.nextInThread('acme', run.threadId)).toBeNull()
  const due = await bench.register.nextDue([], 0)
  expect(due).toBeGreaterThan(0)
  expect(due).toBeLessThanOrEqual(300)
  await new Promise((resolve) => setTimeout(resolve, 350))
  expect(await bench.register.nextInThread('acme', run.threadId)).toEqual(about(run))
  expect(await bench.register.append(admit)).toMatchObject({ admitted: true, factCodes: ['ok'] })
  expect(await bench.register.head(run.runId)).toMatchObject({ place: 1 })
})
