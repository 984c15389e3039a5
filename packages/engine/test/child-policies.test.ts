/** What governs a run governs the runs it starts: denials, policies and approvals of a child, and of its starting. */
import {
  type AgentDefinition,
  decisionSchemas,
  type JsonObject,
  type PolicyRequest,
} from '@signalbox/core'
import type { AnswerApproval, Engine, PolicyHost } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { type Family, family as open, type FamilyParts } from './support/family.ts'
import { ask, named, resultsIn, runsOf, wordsIn } from './support/family.ts'
import { caller, hostOf, httpPolicy, says } from './support/governed.ts'
import { functionTools, toolSpec, turnModel } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = open(parts))

const ann = { id: 'ann', role: 'clerk' }
const pay = { tool: 'pay', args: { to: 'bob' } }

/** A writer that asks a helper, which pays and then asks a clerk. `paid`: the arguments of each payment. */
function payroll(more: {
  readonly writer?: JsonObject
  readonly helper?: JsonObject
  readonly policies?: PolicyHost
}) {
  const paid: JsonObject[] = []
  const tools = functionTools({
    pay: async (args) => {
      paid.push(args)
      return 'paid'
    },
  })
  const { policies, writer, helper } = more
  const definition: AgentDefinition = named('writer', [runsOf('helper')], writer)
  return {
    paid,
    definition,
    ...family({
      plays: {
        writer: turnModel([[ask('pay bob')], 'done']),
        helper: turnModel([[pay], [ask('note it', 'clerk')], 'helped']),
        clerk: turnModel(['noted']),
      },
      agents: [named('helper', [toolSpec('pay', 'once'), runsOf('clerk')], helper), named('clerk')],
      tools,
      ...(policies ? { policies } : {}),
    }),
  }
}

test('a tool that is denied in a child stands in the log of its parent', async () => {
  const { start, begin, outcome, event, child, paid, definition } = payroll({
    helper: { guardrails: { deniedTools: ['pay'] } },
  })
  const runId = await begin(await start(), definition)
  expect(await outcome(runId)).toBe('completed')
  const denied = await event(await child(runId), 'call.denied')
  expect((await event(runId, 'child.ended')).payload).toMatchObject({
    outcome: 'completed',
    verdicts: [{ seq: denied.seq, type: 'call.denied', tool: 'pay', code: 'oap.tool_not_allowed' }],
  })
  expect(JSON.stringify(await event(runId, 'child.ended'))).not.toContain('bob')
  expect(paid).toEqual([])
})

test('a denial right before the execution is told with the code of the policy', async () => {
  const { start, begin, outcome, event, paid, definition } = payroll({
    helper: { guardrails: { policies: [living] } },
    policies: hostOf({
      recheck: ({ tool }) => (tool === 'pay' ? says('deny', 'oap.passport_suspended') : null),
    }),
  })
  const runId = await begin(await start(), definition)
  expect(await outcome(runId)).toBe('completed')
  expect((await event(runId, 'child.ended')).payload['verdicts']).toMatchObject([
    { type: 'tool.denied', tool: 'pay', code: 'oap.passport_suspended' },
  ])
  expect(paid).toEqual([])
})

const cedar = { use: 'cedar', id: 'c', policies: { p: 'permit(principal, action, resource);' } }

const passport = {
  passport_id: '0190f4a0-0000-7000-8000-000000000001',
  kind: 'instance',
  spec_version: 'oap/1.0',
  owner_id: 'o',
  owner_type: 'org',
  assurance_level: 'L3',
  status: 'active',
  capabilities: [],
  limits: {},
  regions: ['DE'],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: '1.0.0',
}
const capabilities = { pay: 'exempt', agent__helper: 'exempt', agent__clerk: 'exempt' }
/** Asked again right before each execution; says nothing about our tools. */
const living = { use: 'passport', id: 'l', source: './passport.json', capabilities, passport }

/** A host that writes down what it is asked, by where. */
function listening() {
  const heard: Record<'pure' | 'io' | 'dispatch', PolicyRequest[]> = {
    pure: [],
    io: [],
    dispatch: [],
  }
  const policies: PolicyHost = {
    ...hostOf({
      ask: (request) => {
        heard.io.push(request)
        return says('allow')
      },
      recheck: (request) => {
        heard.dispatch.push(request)
        return null
      },
    }),
    evaluator: () => (request) => {
      heard.pure.push(request)
      return says('allow')
    },
  }
  return { heard, policies }
}

test.each(['pure', 'io', 'dispatch'] as const)(
  'a policy knows the calls of a child, and for whom they are: %s',
  async (where) => {
    const spec = { pure: cedar, io: httpPolicy, dispatch: living }[where]
    const guardrails = { policies: [spec] }
    const { heard, policies } = listening()
    const { start, begin, outcome, child, definition } = payroll({
      writer: { guardrails },
      helper: { guardrails },
      policies,
    })
    const root = await begin(await start(), definition, { user: ann })
    expect(await outcome(root)).toBe('completed')
    const below = await child(root)
    const said = heard[where].map(({ tool, runId, isSubagent, user }) => ({
      tool,
      runId,
      isSubagent,
      user,
    }))
    // A decision that is made again, or checked, asks a pure policy once more.
    const distinct = [...new Set(said.map((each) => JSON.stringify(each)))]
    expect(distinct.map((each): unknown => JSON.parse(each))).toEqual([
      { tool: 'agent__helper', runId: root, isSubagent: false, user: ann },
      { tool: 'pay', runId: below, isSubagent: true, user: ann },
      { tool: 'agent__clerk', runId: below, isSubagent: true, user: ann },
    ])
  },
)

test('a policy that forbids it right before, and no run is started', async () => {
  const { start, begin, outcome, asked, register, definition } = payroll({
    writer: { guardrails: { policies: [living] } },
    policies: hostOf({ recheck: () => says('deny', 'oap.passport_suspended', 'no more') }),
  })
  const runId = await begin(await start(), definition)
  expect(await outcome(runId)).toBe('completed')
  expect(await register.children(runId)).toEqual([])
  expect(resultsIn(asked.at(-1)?.prompt)).toEqual([
    'Error: this call was not executed (oap.passport_suspended). no more',
  ])
})

/** Answers the n-th request of a run. */
async function answer(
  engine: Engine,
  runId: string,
  said: Partial<AnswerApproval> & Pick<AnswerApproval, 'decision'>,
): Promise<void> {
  const asking = await tree.event(runId, 'approval.requested')
  const { callId } = decisionSchemas['approval.requested'].parse(asking.payload)
  const code = await engine.commands.answerApproval({ ...caller, runId, callId, ...said })
  expect(code).toEqual({ code: 'accepted' })
}

const approvals = (tool: string): JsonObject => ({ guardrails: { approvalTools: [tool] } })

test.each([
  { decision: 'approve', words: 'pay bob' },
  { decision: 'edit', args: { prompt: 'pay carl' }, words: 'pay carl' },
] as const)(
  'a human decides whether a run is started, and on what: $decision',
  async ({ words, ...said }) => {
    const { start, begin, outcome, register, asked, definition } = payroll({
      writer: approvals('agent__helper'),
    })
    const engine = await start({ checkArguments: () => null })
    const runId = await begin(engine, definition)
    await tree.event(runId, 'approval.requested')
    expect(await register.children(runId)).toEqual([])
    await answer(engine, runId, said)
    expect(await outcome(runId)).toBe('completed')
    expect(wordsIn(asked.find(({ name }) => name === 'helper')?.prompt)).toBe(words)
  },
)

test('a rejected run is never started', async () => {
  const { start, begin, outcome, register, definition } = payroll({
    writer: approvals('agent__helper'),
  })
  const engine = await start()
  const runId = await begin(engine, definition)
  await answer(engine, runId, { decision: 'reject' })
  expect(await outcome(runId)).toBe('completed')
  expect(await register.children(runId)).toEqual([])
})

test('the policies are asked again after the human, and win', async () => {
  const { start, begin, outcome, register, event, definition } = payroll({
    writer: { guardrails: { policies: [httpPolicy] } },
    policies: hostOf({
      ask: () => says('require_approval'),
      recheck: (_request, approved) => (approved ? says('deny', 'x.changed') : null),
    }),
  })
  const engine = await start()
  const runId = await begin(engine, definition)
  await answer(engine, runId, { decision: 'approve' })
  expect(await outcome(runId)).toBe('completed')
  expect((await event(runId, 'tool.denied')).payload).toMatchObject({
    tool: 'agent__helper',
    answer: { reasons: [{ code: 'x.changed' }] },
  })
  expect(await register.children(runId)).toEqual([])
})

test('a child waits for its human as any run does, and its parent waits for it', async () => {
  const { start, begin, outcome, child, register, paid, definition } = payroll({
    helper: approvals('pay'),
  })
  const engine = await start({ checkArguments: () => null })
  const runId = await begin(engine, definition)
  const below = await child(runId)
  await tree.event(below, 'approval.requested')
  expect((await register.head(below))?.status).toBe('waiting')
  await answer(engine, below, { decision: 'edit', args: { to: 'carl' } })
  expect(await outcome(runId)).toBe('completed')
  expect(paid).toEqual([{ to: 'carl' }])
})
