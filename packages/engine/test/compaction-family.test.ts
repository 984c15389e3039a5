/**
 * Summaries in trees of runs, in memory (context systems §2 "somebody pays", §5.5, §5.6, §18 rows 10 and 20). Would catch: a child that sums up on
 * after its parent was cancelled, a summary of a child that nobody pays, one that a parent forgets that it had work done, or what a person has refused.
 */
import { decisionSchemas, factSchemas, payloadOf } from '@signalbox/core'
import { afterEach, describe, expect, test } from 'vitest'
import { byTurn, dumping, eventsOf, reads, resultNo, roomy } from './support/compacting.ts'
import { counting, isSummary } from './support/counting.ts'
import { aborted, ask, type Family, family, named, runsOf } from './support/family.ts'
import { caller, eventOf } from './support/governed.ts'
import { functionTools, toolSpec, type Turn, turnModel } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())

const child = named('helper', [toolSpec('dump')], roomy)
const parent = (more = {}) =>
  named('parent', [toolSpec('dump'), runsOf('helper')], { ...roomy, ...more })

const looks = (turn: number): Turn => (turn === 1 ? [ask('look for ships')] : reads(14)(turn))
const pays = (turn: number): Turn =>
  turn === 1 ? [{ tool: 'pay', args: { to: 'ann' } }] : reads(14)(turn)

describe('a child that fills its window', () => {
  test('has its own conversation summed up; its parent pays, and waits', async () => {
    const counted = counting(byTurn(reads(14)), 32_000)
    tree = family({
      plays: { parent: turnModel([[ask('read')], 'done']), helper: counted.model },
      agents: [child],
      tools: dumping(),
    })
    const runId = await tree.begin(await tree.start(), parent())
    expect(await tree.outcome(runId)).toBe('completed')
    const helper = await tree.child(runId)
    const summaries = await tree.events(helper, 'context.compacted')
    expect(summaries.length).toBeGreaterThan(0)
    expect(await tree.events(runId, 'context.compacted')).toEqual([])
    const used = (await tree.register.events(helper, {})).reduce((sum, event) => {
      if (event.type === 'model.completed') {
        const { usage } = payloadOf(factSchemas['model.completed'], event).turn
        return sum + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
      }
      if (event.type !== 'context.compacted') return sum
      const { usage } = payloadOf(factSchemas['context.compacted'], event)
      return sum + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    }, 0)
    const ended = payloadOf(factSchemas['child.ended'], await tree.event(runId, 'child.ended'))
    expect(ended.spent.tokens).toBe(used)
  })

  test('is cancelled with its parent in the middle of a summary, and keeps nothing', async () => {
    const begun = Promise.withResolvers<void>()
    const plays = byTurn(reads(14), ({ signal }) => {
      begun.resolve()
      return aborted(signal)
    })
    tree = family({
      plays: { parent: turnModel([[ask('read')], 'done']), helper: counting(plays, 32_000).model },
      agents: [child],
      tools: dumping(),
    })
    const engine = await tree.start()
    const runId = await tree.begin(engine, parent())
    await begun.promise
    await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    expect(await tree.ends()).toEqual(['cancelled', 'cancelled'])
    const helper = await tree.child(runId)
    const [unchanged] = await tree.events(helper, 'context.unchanged')
    expect(unchanged?.payload).toMatchObject({ reason: 'aborted' })
    expect(await tree.events(helper, 'context.compacted')).toEqual([])
  })
})

describe('what the log knows stands beside the summary', () => {
  test('runs that were started, with what they came to', async () => {
    const counted = counting(byTurn(looks), 32_000)
    tree = family({
      plays: { parent: counted.model, helper: turnModel(['three <ships> found']) },
      agents: [named('helper')],
      tools: dumping(),
    })
    const runId = await tree.begin(await tree.start(), parent())
    expect(await tree.outcome(runId)).toBe('completed')
    const { appendix } = payloadOf(
      factSchemas['context.compacted'],
      await tree.event(runId, 'context.compacted'),
    )
    expect(appendix).toContain('Runs that were started:\n- agent__helper: completed: ')
    expect(appendix).toContain('three &lt;ships&gt; found')
    const shown = counted.requests[counted.requests.findIndex(isSummary) + 1]
    expect(JSON.stringify(shown?.prompt)).toContain('three &lt;ships&gt; found')
  })

  const decisions = ['approve', 'edit', 'reject'] as const
  test.each(decisions)('what a person decided about a call: %s', async (decision) => {
    const tools = functionTools({
      dump: async ({ n }) => resultNo(Number(n ?? 0)),
      pay: async () => 'paid',
    })
    const counted = counting(byTurn(pays), 32_000)
    tree = family({ plays: { payer: counted.model }, tools })
    const engine = await tree.start({ checkArguments: () => null })
    const payer = named('payer', [toolSpec('dump'), toolSpec('pay', 'once')], {
      ...roomy,
      guardrails: { approvalTools: ['pay'] },
    })
    const runId = await tree.begin(engine, payer)
    const { payload } = await eventOf(tree.register, runId, 'approval.requested')
    const { callId } = decisionSchemas['approval.requested'].parse(payload)
    const answer = { ...caller, runId, callId, decision }
    const edited = { ...answer, args: { to: 'bob' } }
    const { code } = await engine.commands.answerApproval(decision === 'edit' ? edited : answer)
    expect(code).toBe('accepted')
    expect(await tree.outcome(runId)).toBe('completed')
    const [cut] = await eventsOf(tree.register, runId, 'context.compacted')
    const { appendix } = payloadOf(factSchemas['context.compacted'], cut ?? (await never()))
    const told = decision === 'edit' ? 'edit to "bob"' : decision
    expect(appendix).toContain(`What people decided about calls:\n- pay "ann": ${told}`)
    // A rejected call is listed as failed, so that the model does not repeat it once the summary stands in the place of the call.
    expect(appendix.includes('Calls that failed:\n- pay "ann"')).toBe(decision === 'reject')
  })
})

const never = (): Promise<never> => Promise.reject(new Error('there is no summary'))
