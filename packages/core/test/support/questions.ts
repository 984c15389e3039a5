/** Questions of a model, and answers of people, as moves. */
import { type AgentDefinition, checkAnswer, questionTool } from '../../src/index.ts'
import { agentWith, type Patch } from './agent.ts'
import { asksOddly, callId, type Move } from './facts.ts'

/** An agent that may ask. */
export const curiousAgent = (patch: Patch = {}): AgentDefinition =>
  agentWith({
    clarification: { expiresMs: 60_000 },
    tools: [...agentWith().tools, questionTool],
    ...patch,
  })

/** The model asks for these calls: a text is that of a call, an object the arguments of a question. */
export const wonders = (...calls: readonly (string | object)[]): Move =>
  asksOddly(
    calls.map((call) => (typeof call === 'string' ? call : 'ask_clarification')),
    (part, n) => {
      const call = calls[n]
      return typeof call === 'string' ? part : { ...part, args: JSON.parse(JSON.stringify(call)) }
    },
  )

/** A person answers the nth call, as the engine says it. */
export const tells =
  (n: number, text: string): Move =>
  (known) => {
    const said = checkAnswer({ kind: 'text' }, { text })
    if (!said.ok) throw new Error(said.message)
    return {
      type: 'input.answered',
      payload: {
        callId: callId(known, n),
        output: { content: [{ type: 'text', text: said.words }], isError: false },
        answer: { text },
        by: { id: 'ann', role: null },
      },
    }
  }

/** The time of the nth question is over. */
export const questionExpires =
  (n: number): Move =>
  (known) => ({ type: 'timer.fired', payload: { timerId: `input:${callId(known, n)}` } })
