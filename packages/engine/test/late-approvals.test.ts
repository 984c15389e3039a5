/**
 * An answer to an approval that comes when the run is to end. Would catch: a person who is told that the answer came too late, and
 * whose answer runs the calls of other runs unasked; two identities that are one person.
 */
import { decisionSchemas, type Json } from '@signalbox/core'
import type { Engine } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const engines: Engine[] = []
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(1_000)
})

const pay = { tool: 'pay', args: { to: 'ann' } }

test('an answer to a run that is being cancelled approves nothing, there or in another run', async () => {
  const released = Promise.withResolvers<Json>()
  const began = Promise.withResolvers<void>()
  const paid: unknown[] = []
  const tools = functionTools({
    pay: async (args) => (paid.push(args), 'paid'),
    slow: async () => {
      began.resolve()
      return released.promise
    },
  })
  const model = turnModel([[{ tool: 'slow', args: {} }, pay], 'done'])
  const { engine, register } = world({ model, tools })
  engines.push(engine)
  await engine.start()
  const definition = agent([toolSpec('pay', 'once'), toolSpec('slow')], {
    guardrails: { approvalTools: ['pay'] },
  })
  const first = await begin(engine, definition)
  const { payload } = await eventOf(register, first, 'approval.requested')
  const { callId } = decisionSchemas['approval.requested'].parse(payload)
  await began.promise
  const cancel = { ...caller, runId: first, action: 'interrupt' } as const
  expect(await engine.commands.cancel(cancel)).toBe('accepted')
  const approval = {
    ...caller,
    runId: first,
    callId,
    decision: 'approve',
    scope: 'always',
  } as const
  expect(await engine.commands.answerApproval(approval)).toEqual({ code: 'ended' })
  released.resolve('slept')
  expect(await outcomeOf(register, first)).toBe('cancelled')

  const second = await begin(engine, definition)
  const word = await until(async () =>
    (await register.events(second, {})).find(
      ({ type }) => type === 'approval.requested' || type === 'approval.reused',
    ),
  )
  expect(word.type).toBe('approval.requested')
  expect(paid).toEqual([])
})

test('a person whose name looks like a key is a person: a key approves nothing of theirs', async () => {
  const paid: unknown[] = []
  const tools = functionTools({ pay: async (args) => (paid.push(args), 'paid') })
  const { engine, register } = world({ model: turnModel([[pay], 'done']), tools })
  engines.push(engine)
  await engine.start()
  const definition = agent([toolSpec('pay', 'once')], {
    guardrails: { approvalTools: ['pay'] },
    approvals: { forbidRequester: true },
  })
  const asked = async (more: Parameters<typeof begin>[2]) => {
    const runId = await begin(engine, definition, more)
    const { payload } = await eventOf(register, runId, 'approval.requested')
    return { runId, ...decisionSchemas['approval.requested'].parse(payload) }
  }
  const answerAs = (
    { runId, callId }: { readonly runId: string; readonly callId: string },
    who: {
      readonly actor: string
      readonly by: { readonly id: string; readonly role: string | null }
    },
  ) =>
    engine.commands.answerApproval({
      tenantId: 'default',
      runId,
      callId,
      decision: 'approve',
      ...who,
    })
  const key = { actor: 'key:k2', by: { id: 'key:k2', role: 'key:k2' } }
  // Whoever may choose a name of their own may hold a key as well.
  const ofPerson = await asked({ actor: 'user:key:me', user: { id: 'key:me', role: null } })
  expect(await answerAs(ofPerson, key)).toMatchObject({ code: 'forbidden' })
  // The other way round: a person named like the key that asked is another one.
  const ofKey = await asked({ actor: 'key:k1' })
  const named = { actor: 'user:key:k1', by: { id: 'key:k1', role: null } }
  expect(await answerAs(ofKey, named)).toEqual({ code: 'accepted' })
  expect(await outcomeOf(register, ofKey.runId)).toBe('completed')
  const other = await asked({ actor: 'key:k1' })
  expect(
    await answerAs(other, { actor: 'key:k1', by: { id: 'key:k1', role: 'key:k1' } }),
  ).toMatchObject({ code: 'forbidden' })
  expect(await answerAs(other, key)).toEqual({ code: 'accepted' })
})
