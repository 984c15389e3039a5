/**
 * The lines of the log about runs, made of committed decisions: each by the process that committed it, and once.
 *
 * L1 A line has the ids of its run and thread, the agent, and the request that created the run where this process answered it.
 * L2 Nothing of prompts, answers, arguments or results, and no word of a provider: kinds, codes, counts and names.
 */
import { type Fact, failureOf, type RunState } from '@signalbox/core'
import type { DecidedRun, Log } from '@signalbox/engine'
import { openRequestId } from './open-request.ts'

/** So many runs keep the id of their request; of more that are open, the oldest lose theirs. */
const requestsMax = 10_000
const million = 1_000_000

type Fields = Readonly<Record<string, unknown>>

/** A listener for decisions that logs what they say of their run. */
export function createRunLog(log: Log): (run: DecidedRun) => void {
  const requests = new Map<string, string>()
  const requestOf = ({ runId, facts }: DecidedRun): string | undefined => {
    const id = facts.some(({ type }) => type === 'run.created') ? openRequestId() : null
    if (id !== null) requests.set(runId, id)
    const [oldest] = requests.size > requestsMax ? requests.keys() : []
    if (oldest !== undefined) requests.delete(oldest)
    return requests.get(runId)
  }
  return (run) => {
    const { runId, threadId, agent, parentId, before, facts, decision } = run
    const requestId = requestOf(run)
    const about = {
      runId,
      threadId,
      agent: agent.name,
      ...(parentId === null ? {} : { parentId }),
      ...(requestId === undefined ? {} : { requestId }),
    }
    if (before === 'queued' && decision.status !== 'queued') log.info('run begun', about)
    for (const fact of facts) warn(log, { ...run, about }, fact)
    if (decision.status === 'waiting' && before !== 'waiting')
      log.info('run waits', { ...about, waitsFor: waitsFor(run).join(', ') })
    if (decision.outcome === null) return
    log.info('run ended', { ...about, ...endOf(run) })
    requests.delete(runId)
  }
}

function warn(log: Log, run: DecidedRun & { readonly about: Fields }, fact: Fact): void {
  const { about, decision } = run
  switch (fact.type) {
    case 'model.completed': {
      const failure = failureIn(fact)
      if (failure) log.warn('model call failed', { ...about, ...failure, ...nextOf(decision) })
      return
    }
    case 'tool.unknown': {
      const { callId, effectId, reason } = fact.payload
      const tool = toolOf(run, callId)
      const call = { ...(tool === undefined ? {} : { tool }), callId, effectId, reason }
      return log.warn('outcome of a tool call unknown', { ...about, ...call })
    }
    case 'run.faulted':
      return log.warn('run faulted', { ...about, code: fact.payload.code })
    default:
  }
}

const failed: ReadonlySet<string> = new Set(['error', 'interrupted', 'unknown_terminal'])

/** What there is to say of a model call that failed; null for every other. */
function failureIn({ payload }: Extract<Fact, { type: 'model.completed' }>): Fields | null {
  const { turn, durationMs } = payload
  if (!failed.has(turn.verdict)) return null
  const { provider, model, error, cut, verdict } = turn
  const failure = failureOf(turn)
  return {
    provider,
    model,
    verdict,
    class: failure?.class ?? error?.class ?? 'unknown',
    ...(failure?.status === undefined ? {} : { status: failure.status }),
    ...(failure?.code === undefined ? {} : { code: failure.code }),
    ...(failure?.keyEnv === undefined ? {} : { keyEnv: failure.keyEnv }),
    ...(cut === undefined ? {} : { cut: cut.code }),
    ...(error?.requestId === undefined ? {} : { providerRequestId: error.requestId }),
    durationMs,
    ...(failure ? { reason: failure.message } : {}),
  }
}

/** What follows a call that failed, as the decision says it. */
function nextOf({ verdicts, outcome }: DecidedRun['decision']): Fields {
  for (const { type, payload } of verdicts) {
    if (type === 'model.retried') return { next: 'retry', retryMs: payload.delayMs }
    if (type === 'model.replaced') return { next: `fallback to ${payload.to}` }
    if (type === 'turn.continued') return { next: 'continue' }
  }
  return outcome === null ? {} : { next: 'end' }
}

const openCalls = ({ agent, decision }: DecidedRun) =>
  Object.entries(decision.state.context.open).map(([index, { status, tool }]) => ({
    index,
    status,
    tool: agent.tools[tool]?.name,
  }))

/** The calls of a turn are numbered, and their ids end with the number. */
const toolOf = (run: DecidedRun, callId: string): string | undefined =>
  openCalls(run).find(({ index }) => callId.endsWith(`_${index}`))?.tool

const waits: Readonly<Partial<Record<RunState['context']['open'][string]['status'], string>>> = {
  asked: 'approval',
  unknown: 'resolution',
}

/** `approval of charge_card`. */
function waitsFor(run: DecidedRun): readonly string[] {
  const all = openCalls(run).flatMap(({ status, tool = 'a call' }) => {
    const what = waits[status]
    return what === undefined ? [] : [`${what} of ${tool}`]
  })
  return all.length === 0 ? ['input'] : [...new Set(all)]
}

function endOf({ agent, createdAt, facts, decision }: DecidedRun): Fields {
  const { turn, calls, tokens, cost } = decision.state.context
  const at = facts.at(-1)?.at ?? createdAt
  const isPriced = [agent.model, ...agent.fallbackModels].some(({ price }) => price !== undefined)
  return {
    outcome: decision.outcome,
    durationMs: Math.max(0, at - createdAt),
    turns: turn,
    toolCalls: calls,
    tokens,
    ...(isPriced ? { cost: cost / million } : {}),
  }
}
