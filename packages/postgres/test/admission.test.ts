/** One run at a time on a thread, first come first served: the slot, the queue, and races for it. */
import { expect, it } from 'vitest'
import { createRegister } from '../src/register/register.ts'
import { about, admission, creation, fact, finalDecision, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
const admit = (run: ReturnType<typeof newRun>) =>
  bench.register.append({
    ...about(run),
    admit: true,
    facts: [fact('run.admitted', 'admitted')],
  })

const end = (run: ReturnType<typeof newRun>, decided: number) =>
  bench.register.append({
    ...about(run),
    facts: [fact('model.completed')],
    decision: finalDecision(decided, decided + 2),
  })

it('leaves out run.admitted, the decision and the claims of a run that must wait', async () => {
  const threadId = uuid7()
  const [first, second] = [newRun({ threadId }), newRun({ threadId })]
  expect(await bench.register.append(admission(first))).toMatchObject({ admitted: true })
  expect(await bench.register.append(admission(second))).toMatchObject({
    code: 'ok',
    admitted: false,
    factCodes: ['ok', 'not_admitted'],
    decisionCode: 'not_admitted',
    seq: 1,
    facts: 1,
    decided: 0,
    claims: [],
  })
  expect(await bench.register.head(second.runId)).toMatchObject({ status: 'queued', seq: 1 })
})

it('admits in the order of run ids, when the slot is free', async () => {
  const threadId = uuid7()
  const runs = [newRun({ threadId }), newRun({ threadId }), newRun({ threadId })]
  const [first, second, third] = runs
  if (!first || !second || !third) throw new Error('three runs')
  await bench.register.append(admission(first))
  await bench.register.append(admission(second))
  await bench.register.append(admission(third))
  const next = () => bench.register.nextInThread('acme', threadId)
  expect(await next()).toBeNull()
  expect(await end(first, 2)).toMatchObject({ decisionCode: 'ok' })
  expect(await admit(third)).toMatchObject({ admitted: false, factCodes: ['not_admitted'] })
  expect(await next()).toEqual({ tenantId: 'acme', runId: second.runId })
  const admissible = await bench.register.admissibleRuns(1000)
  expect(admissible.filter((run) => runs.some((one) => one.runId === run.runId))).toEqual([
    { tenantId: 'acme', runId: second.runId },
  ])
  expect(await admit(second)).toMatchObject({ admitted: true, factCodes: ['ok'], seq: 2 })
  expect(await admit(second)).toMatchObject({ admitted: true, factCodes: ['duplicate'], seq: 2 })
  expect(await next()).toBeNull()
})

it('does not wait behind a run that ended while it was queued', async () => {
  const threadId = uuid7()
  const [first, second] = [newRun({ threadId }), newRun({ threadId })]
  await bench.register.append(creation(first))
  expect(await bench.register.append(admission(second))).toMatchObject({ admitted: false })
  await bench.register.append({
    ...about(first),
    facts: [fact('cancel.requested')],
    decision: finalDecision(0, 2, { outcome: 'cancelled', stateName: 'cancelled' }),
  })
  expect(await admit(second)).toMatchObject({ admitted: true })
})

it('gives threads of the same name to each tenant', async () => {
  const threadId = uuid7()
  const results = await Promise.all(
    ['a', 'b'].map((tenantId) => bench.register.append(admission(newRun({ tenantId, threadId })))),
  )
  expect(results.map((result) => result.admitted)).toEqual([true, true])
})

it('never admits two at once, and always one in the end, in any race', async () => {
  // Batches of one from several processes, so that the appends really meet.
  const registers = Array.from({ length: 8 }, () =>
    createRegister({ engineUrl: bench.database.engineUrl, batch: { maxItems: 1 } }),
  )
  for (let round = 0; round < 30; round += 1) {
    const threadId = uuid7()
    const runs = registers.map(() => newRun({ threadId }))
    const results = await Promise.all(
      registers.map((register, n) => register.append(admission(runs[n] ?? newRun()))),
    )
    expect(results.map((result) => result.code)).toEqual(runs.map(() => 'ok'))
    const admitted = results.filter((result) => result.admitted).length
    expect(admitted).toBeLessThanOrEqual(1)
    // If nobody got the lock, the poll finds the one that came first, whichever that was; else the thread is taken.
    const next = await bench.register.nextInThread('acme', threadId)
    const possible = admitted === 1 ? [undefined] : runs.map((run) => run.runId)
    expect(possible).toContain(next?.runId)
  }
  await Promise.all(registers.map((register) => register.close()))
})
