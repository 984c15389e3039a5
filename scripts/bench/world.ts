/**
 * The world of a bench run: a model and a tool that answer at once, so that all time and work that is measured is the
 * engine's. A run of n turns is n model calls and n - 1 tool calls, each with other arguments, so that no loop is seen.
 */
import { AgentDefinition, type ModelTurn } from '@signalbox/core'
import { type Log, type Model, type ModelRequest, type ToolHost } from '@signalbox/engine'
import { createToolHost, defineTool } from '@signalbox/tools'
import { z } from 'zod'

/** The answer of model and tool: a short paragraph of 200 characters, the same in every turn. */
const paragraph = 'The order was placed on Monday and paid the same day. '.repeat(4).slice(0, 200)

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a number up.',
  input: z.object({ n: z.number() }),
  effect: 'idempotent',
  run: ({ n }) => `${n}: ${paragraph}`,
})

/** A run of more turns is a long one. */
const longTurns = 50

/** What agents pin of the tool. */
export const lookUpSpec = lookUp.toSpec()

/** The real tool host, over one tool that answers at once. */
export const instantTools = (log: Log): ToolHost => createToolHost({ log, tools: [lookUp] })

/** An agent whose model ends the run with its turn number `turns`. */
export const agentOf = (turns: number): AgentDefinition =>
  AgentDefinition.parse({
    name: `bench-${turns}`,
    model: { provider: 'scripted', model: String(turns) },
    instructions: 'Look numbers up.',
    tools: [lookUpSpec],
    limits: {
      maxTurns: turns + 1,
      maxToolCalls: turns,
      timeoutMs: 3_600_000,
      ...(turns > longTurns ? { maxTokens: 1_000_000_000 } : {}),
    },
    // A long run calls its one tool more often than any real one: that is what is measured, not what is stopped.
    ...(turns > longTurns ? { loop: { enabled: false } } : {}),
  })

/** Answers at once: a call of the tool, or in the last turn a text. */
export const instantModel: Model = {
  call: async (request) => {
    const said = request.prompt.filter((message) => message.role === 'assistant').length
    return answerOf(request, said, said + 1 >= Number(request.model.model))
  },
}

/** The turn number `said`, from 0: a call of the tool, or in the last turn a text. */
export const answerOf = (request: ModelRequest, said: number, isLast: boolean): ModelTurn =>
  turnOf(request, isLast ? { type: 'text', text: paragraph } : callOf(request, said))

type Part = ModelTurn['message']['parts'][number]

function callOf(request: ModelRequest, n: number): Part {
  const args = { n }
  const argsHash = request.argsHash(args)
  return { type: 'tool_call', id: `${request.callIdPrefix}_0`, name: 'look_up', args, argsHash }
}

function turnOf(request: ModelRequest, part: Part): ModelTurn {
  const unified = part.type === 'text' ? 'stop' : 'tool-calls'
  return {
    verdict: 'complete',
    message: { id: request.messageId, role: 'assistant', parts: [part] },
    suppressed: [],
    evidence: [],
    finish: { unified },
    usage: { inputTokens: 10, outputTokens: 10 },
    provider: 'bench',
    model: 'instant',
  }
}
