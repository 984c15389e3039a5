/** What a run does: its plan is the user's message, and the scripted model plays it. */
import { type Prompt, questionToolName, todoToolName } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { z } from 'zod'
import { commandOf, endlessCommand } from './commands.ts'

/** The name of the tool whose calls are runs of the agent. */
export const toolOf = (agent: string): string => `agent__${agent}`

/** `turns`: the tools to call, turn by turn, or runs to start with plans of their own; after them the run completes. */
export const Plan = z.object({
  name: z.string(),
  get turns() {
    return z.array(z.array(z.union([z.string(), Start]))).default([])
  },
  /** The provider refuses this many calls first, per process: an orchestrator that is killed forgets them. */
  failures: z.number().default(0),
  /** Milliseconds before each chunk of an answer. */
  delayMs: z.number().default(3),
  /** Length of the last answer. */
  chars: z.number().default(20),
  padding: z.string().default(''),
  /** Does the last answer say first what a guardrail forbids? */
  slips: z.boolean().default(false),
})
export type Plan = z.input<typeof Plan>

const Start = z.object({ agent: z.string(), plan: Plan })

/** What the agent `governed` may not say. */
export const bannedTerm = 'snozzberry'

/** Has a guardrail corrected the answer before? Its feedback names no term. */
const isCorrected = (prompt: Prompt): boolean =>
  prompt.some((message) => message.role === 'user' && textOf(message).includes('corrected'))

const textOf = ({ parts }: Extract<Prompt[number], { role: 'user' }>): string =>
  parts.map((part) => ('text' in part ? part.text : '')).join('')

/** The name of a plan ends so whose conversation nobody sums up: the model says nothing when it is asked to. */
export const unsummed = 'unsummed'

/** Is the model asked to sum up? */
const isSummary = (prompt: Prompt): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

/**
 * Behind a summary, earlier turns are not there to be counted: the ids of calls behind the plan tell which was the last. Null: there is no
 * call.
 */
function turnsIn(prompt: Prompt): number | null {
  const plan = prompt.findLastIndex(
    (message) => message.role === 'user' && textOf(message).includes('{"name":'),
  )
  const ids = prompt
    .slice(plan + 1)
    .flatMap((message) =>
      message.role === 'assistant'
        ? message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
        : [],
    )
  const turn = /_(\d+)_\d+$/.exec(ids.at(-1) ?? '')?.[1]
  return turn === undefined ? null : Number(turn)
}

/** The plan of the last message of the user that is one. */
function planOf(prompt: Prompt): z.output<typeof Plan> {
  for (const message of prompt.toReversed()) {
    if (message.role !== 'user') continue
    // Behind the words stands which files came with them.
    const [text = ''] = textOf(message).split('<files>')
    if (text.startsWith('{')) return Plan.parse(JSON.parse(text))
    // The words of the user stand behind what was said before them, summed up.
    const at = text.indexOf('{"name":')
    if (at >= 0 && text.includes('</summary>')) return Plan.parse(JSON.parse(text.slice(at)))
  }
  throw new Error('there is no plan in the prompt')
}

const openItem = { text: 'What is left', status: 'pending' }

/** `bash` adds to its files, `bash-endless` waits to be cancelled, `ask` asks a person, `plan` leaves an item open; all others are told where they stand. */
function callOf(
  tool: string,
  { plan, turn, n }: { readonly plan: string; readonly turn: number; readonly n: number },
) {
  if (tool === 'bash') return { name: 'bash', args: { command: commandOf(plan, turn) } }
  if (tool === 'bash-endless') return { name: 'bash', args: { command: endlessCommand(plan) } }
  if (tool === 'ask') return { name: questionToolName, args: { question: `Which of ${turn}?` } }
  if (tool === 'plan') return { name: todoToolName, args: { todos: [openItem] } }
  return { name: tool, args: { n: turn * 10 + n } }
}

/** A title is asked for of words that hold a plan. */
const asksForTitle = (prompt: Prompt): boolean =>
  JSON.stringify(prompt).includes('Name the conversation below')

/** Is the model told of its open items? What it says then is the end of what it has to say. */
const isReminded = (prompt: Prompt): boolean => JSON.stringify(prompt.at(-1)).includes('[TODO]')

/** A script that plays plans. */
export function playPlans(): Script {
  const refused = new Map<string, number>()
  return (prompt, index) => {
    if (asksForTitle(prompt)) return { text: 'A workload' }
    if (isSummary(prompt)) {
      const isLeft = JSON.stringify(prompt).includes(unsummed)
      return { text: isLeft ? ' ' : 'What was done.', delayMs: 3 }
    }
    const isCut = JSON.stringify(prompt).includes('</summary>')
    const turnIndex = (isCut ? turnsIn(prompt) : null) ?? index
    const { name, turns, failures, delayMs, chars, slips } = planOf(prompt)
    const before = refused.get(name) ?? 0
    if (before < failures) {
      refused.set(name, before + 1)
      return { status: { code: 503 } }
    }
    if (isReminded(prompt)) return { text: 'There is nothing more.', delayMs }
    if (isCorrected(prompt)) return { text: 'I take that back', delayMs }
    if (slips && turns[turnIndex] === undefined) return { text: `I say ${bannedTerm}`, delayMs }
    const calls = turns[turnIndex]?.map((call, n) =>
      typeof call === 'string'
        ? callOf(call, { plan: name, turn: turnIndex, n })
        : { name: toolOf(call.agent), args: { prompt: JSON.stringify(call.plan) } },
    )
    return calls ? { calls, delayMs } : { text: 'x'.repeat(chars), delayMs, chunkSize: chars / 4 }
  }
}
