/** The end of a run is the end of all it has started: cancelled, faulted or timed out, wherever its children stand. */
import { type AgentDefinition, decisionSchemas } from '@signalbox/core'
import type { AppendItem, Engine, FactDraft, Model } from '@signalbox/engine'
import { systemClock, systemRandom } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { createWriter } from '../src/record/draft.ts'
import {
  aborted,
  ask,
  type Family,
  family as open,
  named,
  runsOf,
  silent,
} from './support/family.ts'
import { type FamilyParts, resultsIn } from './support/family.ts'
import { createsChild, deaf, gated, withAppend } from './support/faulty.ts'
import { begin as beginRun, caller } from './support/governed.ts'
import { functionTools, toolSpec, turnModel, until } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = open(parts))

const writer = (): AgentDefinition => named('writer', [runsOf('helper')])
const helper = (): AgentDefinition => named('helper', [runsOf('clerk')])
const relay = { writer: turnModel([[ask('go')]]), helper: turnModel([[ask('go', 'clerk')]]) }

const cancel = (engine: Engine, runId: string) =>
  engine.commands.cancel({ ...caller, runId, action: 'interrupt', reason: 'enough' })

const draft = createWriter({ actor: 'test', clock: systemClock, random: systemRandom })

/** Everything of the tree ended as told; the runs below were cancelled in the name of those above. */
async function expectCancelled(...outcomes: readonly string[]): Promise<void> {
  expect(await tree.ends()).toEqual(outcomes)
  for (const run of tree.register.tables.runs.values()) {
    if (run.parent === null) continue
    const asked = await tree.events(run.runId, 'cancel.requested')
    expect(asked.map(({ payload }) => payload)).toEqual([{ action: 'interrupt', reason: 'parent' }])
  }
}

/** Nothing of an ended tree is left to do. */
function expectNothingOpen(): void {
  const statuses = [...tree.register.tables.effects.values()].map(({ status }) => status)
  expect(statuses.filter((status) => status === 'pending' || status === 'started')).toEqual([])
}

/** What the run at the bottom does when the cancel comes. */
const busy: Readonly<
  Record<string, (begun: () => void, ended: (reason: unknown) => void) => FamilyParts>
> = {
  streams: (begun, ended) => {
    const streaming: Model = {
      call: async (_request, sink, signal) => {
        sink.delta('text', 'I am ')
        begun()
        return aborted(signal).finally(() => ended(signal.reason))
      },
    }
    return { plays: { ...relay, clerk: streaming }, agents: [helper(), named('clerk')] }
  },
  'calls a tool': (begun, ended) => ({
    plays: { ...relay, clerk: turnModel([[{ tool: 'look', args: {} }]]) },
    agents: [helper(), named('clerk', [toolSpec('look')])],
    tools: functionTools({
      look: async (_args, signal) => {
        begun()
        return aborted(signal).finally(() => ended(signal.reason))
      },
    }),
  }),
}

test.each(Object.keys(busy))('the cancel of the root stops what %s at the bottom', async (what) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const parts = busy[what]?.(begin, end)
  if (!parts) throw new Error(what)
  const { start } = family(parts)
  const engine = await start()
  const root = await tree.begin(engine, writer())
  await begun
  expect(await cancel(engine, root)).toBe('accepted')
  await expectCancelled('cancelled', 'cancelled', 'cancelled')
  expect(await ended).toMatchObject({ abortCause: 'cancelled' })
  expectNothingOpen()
})

test('the cancel of the root ends a grandchild that waits for a human', async () => {
  const clerk = named('clerk', [toolSpec('pay', 'once')], {
    guardrails: { approvalTools: ['pay'] },
  })
  const paid: string[] = []
  const { start, begin, child, event } = family({
    plays: { ...relay, clerk: turnModel([[{ tool: 'pay', args: {} }]]) },
    agents: [helper(), clerk],
    tools: functionTools({ pay: async () => String(paid.push('x')) }),
  })
  const engine = await start()
  const root = await begin(engine, writer())
  const bottom = await child(await child(root))
  const asked = await event(bottom, 'approval.requested')
  await cancel(engine, root)
  await expectCancelled('cancelled', 'cancelled', 'cancelled')
  const { callId } = decisionSchemas['approval.requested'].parse(asked.payload)
  const late = { ...caller, runId: bottom, callId, decision: 'approve' } as const
  expect(await engine.commands.answerApproval(late)).toEqual({ code: 'ended' })
  expect(paid).toEqual([])
  expectNothingOpen()
})

test('the cancel of the root ends a grandchild that has not begun', async () => {
  const { start, begin, child, register } = family({
    plays: { ...relay, clerk: turnModel(['never asked']), blocker: silent() },
    agents: [helper(), named('clerk')],
  })
  const other: { engine: Engine | null } = { engine: null }
  // Somebody else holds the thread of the grandchild before it comes.
  const first = async (item: AppendItem): Promise<void> => {
    if (item.create?.agent !== 'clerk' || !other.engine) return
    const { threadId } = item.create
    await beginRun(other.engine, named('blocker'), { threadId })
  }
  const engine = await start({
    register: withAppend(register, async (item, next) => {
      await first(item)
      return next(item)
    }),
  })
  other.engine = engine
  const root = await begin(engine, writer())
  const bottom = await child(await child(root))
  expect((await register.head(bottom))?.status).toBe('queued')
  await cancel(engine, root)
  expect(await tree.outcome(root)).toBe('cancelled')
  expect(await tree.outcome(bottom)).toBe('cancelled')
  expect(tree.asked.map(({ name }) => name)).not.toContain('clerk')
})

test('cancelled between the claim and the creation: the register refuses the child', async () => {
  const { start, begin, outcome, event, register } = family({
    plays: { writer: turnModel([[ask('go')]]), helper: turnModel(['never asked']) },
    agents: [named('helper')],
  })
  const { register: held, reached: creating, open: goOn } = gated(register, createsChild)
  const engine = await start({ register: held })
  const root = await begin(engine, writer())
  await creating
  await cancel(engine, root)
  goOn()
  expect(await outcome(root)).toBe('cancelled')
  expect((await event(root, 'tool.aborted')).payload).toMatchObject({ reason: 'cancelled' })
  expect(await register.children(root)).toEqual([])
  expectNothingOpen()
})

test('no wake arrives: the cancel reaches the bottom by polling alone', async () => {
  const { start, begin, child, event } = family({
    plays: { ...relay, clerk: silent() },
    agents: [helper(), named('clerk')],
  })
  const [engine] = [await start({ wakeBus: deaf() }), await start({ wakeBus: deaf() })]
  const root = await begin(engine, writer())
  await event(await child(await child(root)), 'effect.started')
  await cancel(engine, root)
  await expectCancelled('cancelled', 'cancelled', 'cancelled')
})

test('a child that its client cancels is cancelled once; its parent reads so and goes on', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { start, begin, outcome, child, asked } = family({
    plays: { writer: turnModel([[ask('go')], 'done']), helper: silent(resolve) },
    agents: [named('helper')],
  })
  const engine = await start()
  const root = await begin(engine, writer())
  await begun
  await cancel(engine, await child(root))
  expect(await outcome(root)).toBe('completed')
  expect(resultsIn(asked.at(-1)?.prompt)).toEqual(['The run of helper ended as cancelled.'])
})

/** Tells the run that its time is over, as if it were. */
async function timeOut(runId: string): Promise<void> {
  const { timers } = tree.register.tables
  const timer = await until(async () => [...timers.values()].find((each) => each.runId === runId))
  const { fireAt, timerId } = timer
  const fired = draft.fact('timer.fired', { timerId }, { key: `timer:${timerId}:${fireAt}` })
  await record(runId, { ...fired, at: fireAt })
}

/** A fact from outside; the reconciler finds it. */
async function record(runId: string, fact: FactDraft): Promise<void> {
  const result = await tree.register.append({ tenantId: 'default', runId, facts: [fact] })
  expect(result.factCodes).toEqual(['ok'])
}

test('a parent whose time is over takes its children with it', async () => {
  const { promise: looking, resolve: looks } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
  const { start, begin } = family({
    plays: {
      writer: turnModel([[ask('go'), { tool: 'look', args: {} }]]),
      helper: silent(begins),
    },
    agents: [named('helper')],
    tools: functionTools({
      look: async (_args, signal) => {
        looks()
        return aborted(signal)
      },
    }),
  })
  const engine = await start()
  const root = await begin(engine, named('writer', [runsOf('helper'), toolSpec('look')]))
  await Promise.all([looking, begun])
  await timeOut(root)
  await expectCancelled('timed_out', 'cancelled')
  expectNothingOpen()
})

test('a child whose time is over is a failed call; the clock of its parent stands still', async () => {
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
  const { start, begin, outcome, child, asked, register } = family({
    plays: { writer: turnModel([[ask('go')], 'done']), helper: silent(begins) },
    agents: [named('helper')],
  })
  const engine = await start()
  const root = await begin(engine, writer())
  await begun
  const below = await child(root)
  await tree.event(root, 'child.started')
  await until(async () => !timersOf(root))
  await timeOut(below)
  expect(await outcome(root)).toBe('completed')
  expect(resultsIn(asked.at(-1)?.prompt)).toEqual(['The run of helper ended as timed_out.'])
  expect(register.tables.runs.size).toBe(2)
})

const timersOf = (runId: string): boolean =>
  [...tree.register.tables.timers.values()].some((each) => each.runId === runId)

test('a parent that cannot be decided any more leaves no child running', async () => {
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
  const { start, begin } = family({
    plays: { ...relay, clerk: silent(begins) },
    agents: [helper(), named('clerk')],
  })
  const engine = await start()
  const root = await begin(engine, writer())
  await begun
  const poison = draft.fact('run.admitted', {}, { key: 'poison' })
  await record(root, { ...poison, type: 'tool.completed' })
  await expectCancelled('failed', 'cancelled', 'cancelled')
  expectNothingOpen()
})
