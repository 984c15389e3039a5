/**
 * Summaries that fail, over HTTP, on Postgres (context systems §5.6, §19 "compaction" 2, C4): each reason of `context.unchanged` once, and behind it the
 * run asks byte for byte what a run asks that nobody sums up. Would catch: a failure that costs the run, leaves a task or half a
 * summary in the conversation, or changes a setting of the next request.
 */
import type { Prompt } from '@signalbox/core'
import type { Script, ScriptedTurn } from '@signalbox/models'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call, eventually } from './support/http.ts'
import { type RecordedProvider, recordedProvider } from './support/recorded-provider.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const task = 'Sum up all of it so far'
const isSummary = (prompt: Prompt): boolean => JSON.stringify(prompt.at(-1)).includes(task)

const resultNo = (n: number): string => `#${n} ${'w'.repeat(8_000)}`
const dump = defineTool({
  name: 'dump',
  description: 'Answers a lot.',
  effect: 'read',
  input: z.object({ n: z.number() }),
  run: ({ n }) => resultNo(n),
})

/** Reads twelve results, some 24,000 tokens, and is done. */
const reads =
  (summary: ScriptedTurn): Script =>
  (prompt, turn) => {
    if (isSummary(prompt)) return summary
    return turn < 12 ? { calls: [{ name: 'dump', args: { n: turn } }] } : { text: 'Read.' }
  }

const bannedTerm = 'snozzberry'

interface Failure {
  readonly reason: string
  readonly summary: ScriptedTurn
  /** Of the agent's `compact`. */
  readonly compact?: object
  /** How often the model is asked for it. */
  readonly asked: number
}

/** By the model that fails so. */
const failures: Readonly<Record<string, Failure>> = {
  answers_nothing: { reason: 'empty', summary: { text: ' \n ' }, asked: 1 },
  refuses: { reason: 'safety', summary: { text: 'I', ending: 'content_filter' }, asked: 1 },
  calls_tools: {
    reason: 'calls',
    summary: { text: 'A summary.', calls: [{ name: 'dump', args: { n: 99 } }] },
    asked: 1,
  },
  // Its stream is broken off: so long an answer would be paid, and the run would end by its budget.
  streams_for_ever: {
    reason: 'too_long',
    summary: { text: 's'.repeat(9 * 1024 * 1024), chunkSize: 64 * 1024 },
    asked: 1,
  },
  // So are the arguments of a call, which nobody is shown while they come.
  asks_for_ever: {
    reason: 'calls',
    summary: {
      calls: [{ name: 'dump', args: { n: 's'.repeat(7 * 1024 * 1024) } }],
      chunkSize: 64 * 1024,
    },
    asked: 1,
  },
  is_down: { reason: 'failed', summary: { status: { code: 503 } }, asked: 2 },
  answers_50000_tokens: {
    reason: 'too_long',
    summary: { text: 's'.repeat(200_000), chunkSize: 8_192 },
    asked: 1,
  },
  is_cut_at_its_length: {
    reason: 'too_long',
    summary: { text: 'A summary', ending: 'length' },
    asked: 1,
  },
  repeats_what_was_said: {
    reason: 'no_gain',
    summary: { text: 's'.repeat(60_000), chunkSize: 8_192 },
    compact: { summaryTokens: 20_000 },
    asked: 1,
  },
  says_what_it_must_not: {
    reason: 'guardrail',
    summary: { text: `A summary with ${bannedTerm} in it.` },
    asked: 1,
  },
  would_cost_too_much: {
    reason: 'cap',
    summary: { text: 'A summary.' },
    compact: { maxShare: 0.01 },
    asked: 0,
  },
}

const never = (name: string): string => `${name}-unasked`

function agentsOf(baseURL: string): ConfigInput['agents'] {
  const agents: ConfigInput['agents'] = {}
  for (const [name, { compact }] of Object.entries(failures)) {
    const agent = {
      model: {
        provider: 'openai-compatible' as const,
        model: name,
        baseURL,
        contextWindow: 32_000,
      },
      tools: ['dump'],
      modelRetries: { max: 0 },
      guardrails: { stream: [{ use: 'banned-terms' as const, terms: [bannedTerm] }] },
    }
    agents[name] = { ...agent, context: { compact: { failuresMax: 1, ...compact } } }
    agents[never(name)] = { ...agent, context: { compact: { ...compact, maxPerRun: 0 } } }
  }
  return agents
}

let box: TestSignalbox
let provider: RecordedProvider
/** Answers a summary so slowly that it can be cancelled. */
let patient: RecordedProvider
beforeAll(async () => {
  const scripts = Object.entries(failures).map(
    ([name, { summary }]) => [name, reads(summary)] as const,
  )
  provider = await recordedProvider(Object.fromEntries(scripts))
  const slow = reads({ text: 'A summary that takes its time. '.repeat(100), delayMs: 1_000 })
  patient = await recordedProvider({ slow })
  box = await startTest({
    agents: {
      ...agentsOf(provider.url),
      slow: {
        model: {
          provider: 'openai-compatible',
          model: 'slow',
          baseURL: patient.url,
          contextWindow: 32_000,
        },
        tools: ['dump'],
        context: {},
      },
    },
    tools: [dump],
  })
})
afterAll(async () => {
  await box?.stop()
  await provider?.close()
  await patient?.close()
})

interface Played {
  readonly runId: string
  readonly outcome: string
  /** Bodies of its requests, without what differs from run to run. */
  readonly bodies: readonly string[]
}

async function played(agent: string): Promise<Played> {
  const from = provider.bodies.length
  const { body } = await call(box.api, 'POST', '/runs/wait', {
    body: { assistant_id: agent, input: 'Read them.' },
  })
  const runId = String(body.run.run_id)
  const bodies = provider.bodies.slice(from).map((each) => each.replaceAll(runId.slice(-12), 'run'))
  return { runId, outcome: body.outcome, bodies }
}

const eventsOf = async (runId: string, type: string) => {
  const { body } = await call(box.api, 'GET', `/runs/${runId}/events?limit=1000`)
  return body.events.filter((event: { readonly type: string }) => event.type === type)
}

describe('a model that', () => {
  it.each(Object.entries(failures))('%s', async (name, { reason, asked }) => {
    const once = await played(name)
    const control = await played(never(name))
    expect([once.outcome, control.outcome]).toEqual(['completed', 'completed'])

    const unchanged = await eventsOf(once.runId, 'context.unchanged')
    expect(unchanged).toHaveLength(1)
    expect(unchanged[0].payload).toMatchObject({ reason })
    expect(unchanged[0].verdict).toBe(reason)
    expect(await eventsOf(once.runId, 'context.compacted')).toEqual([])

    const turns = once.bodies.filter((each) => !each.includes(task))
    expect(once.bodies.length - turns.length).toBe(asked)
    expect(turns.length).toBe(13)
    expect(turns).toEqual(control.bodies)
    // The calls of the summary were not executed: twelve results, and none of the summary's.
    const results = await eventsOf(once.runId, 'tool.completed')
    expect(results).toHaveLength(12)
    expect(JSON.stringify(results)).not.toContain('#99 ')
  })
})

it('what was under way when its run was cancelled says so, and the thread is what it was', async () => {
  const threadId = crypto.randomUUID()
  const path = `/threads/${threadId}/runs`
  const { body } = await call(box.api, 'POST', path, {
    body: { assistant_id: 'slow', input: 'Read them.' },
  })
  const runId = String(body.run_id)
  await eventually(async () => patient.bodies.some((each) => each.includes(task)))
  const cancelled = await call(box.api, 'POST', `${path}/${runId}/cancel?wait=1`)
  expect(cancelled.status).toBeLessThan(300)
  const [unchanged] = await eventually(async () => {
    const found = await eventsOf(runId, 'context.unchanged')
    return found.length > 0 && found
  })
  expect(unchanged.payload).toMatchObject({ reason: 'aborted' })
  const state = await call(box.api, 'GET', `/threads/${threadId}/context`)
  expect(state.body).toMatchObject({ compactions: 0, cut: null })
})
