/**
 * Agents that work as agents do: 10 to 30 calls of many kinds, decided by a number alone. Nothing that a tool answers depends
 * on when, where, or how often it was tried, so that a story that was disturbed reads like one that was not.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject, Prompt } from '@signalbox/core'
import type { Script, ScriptedCall } from '@signalbox/models'
import { parseConfig } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import { seeded } from '../../simulation/seeded.ts'
import { toolOf } from '../plan.ts'

/** The message of the user: which story, and whether it may start others. */
export const Story = z.object({ seed: z.number(), isChild: z.boolean() })
export type Story = z.infer<typeof Story>

const calls = { least: 10, most: 30 }
const childCalls = { least: 2, most: 4 }
const inTurnMax = 4
const bigChars = 60_000
/** One turn in so many meets a provider that refuses once. */
const refusedTurns = 6

const Input = z.object({ n: z.number() })

const tool = (
  name: string,
  effect: 'read' | 'idempotent' | 'once',
  answer: (n: number) => string,
) =>
  defineTool({
    name,
    description: name,
    input: Input,
    effect,
    run: async ({ n }, { signal }) => {
      await sleep(20 + (n % 7) * 30, undefined, { signal })
      return answer(n)
    },
  })

const storyTools = [
  tool('look', 'read', (n) => `${n} is there`),
  tool('list', 'read', (n) => `${n}: `.repeat(bigChars / 4)),
  tool('put', 'idempotent', (n) => `${n} is put`),
  tool('pay', 'once', (n) => `${n} is paid`),
  tool('ask', 'once', (n) => `${n} is allowed`),
  tool('boom', 'read', (n) => {
    throw new Error(`${n} broke`)
  }),
]

type Kind = (n: number) => ScriptedCall

const plain =
  (name: string): Kind =>
  (n) => ({ name, args: { n } })

const file = (n: number): string => `notes/${n % 3}.md`

/** Of these a turn may have several. */
const together: readonly Kind[] = ['look', 'list', 'put', 'pay', 'pay', 'ask', 'boom'].map(plain)

/** Of these a turn has one: they see what others of their turn change. */
const alone: readonly Kind[] = [
  (n) => ({ name: 'write_file', args: { path: file(n), content: `first\nline ${n}\n` } }),
  (n) => ({ name: 'read_file', args: { path: file(n) } }),
  (n) => ({
    name: 'str_replace',
    args: { path: file(n), oldText: 'first', newText: `first ${n}` },
  }),
  () => ({ name: 'ls', args: { path: '.' } }),
]

const child: Kind = (n) => {
  const args: JsonObject = { prompt: JSON.stringify({ seed: n, isChild: true }) }
  return { name: toolOf('helper'), args }
}

const pick = <T>(all: readonly T[], unit: () => number): T | undefined =>
  all[Math.floor(unit() * all.length)]

/** The calls of a story, turn by turn. */
function turnsOf({ seed, isChild }: Story): readonly (readonly ScriptedCall[])[] {
  const unit = seeded(seed)
  const { least, most } = isChild ? childCalls : calls
  const count = least + Math.floor(unit() * (most - least + 1))
  const turns: ScriptedCall[][] = []
  for (let made = 0; made < count;) {
    const chance = unit()
    const n = seed * 100 + made
    const single =
      isChild || chance > 0.35 ? null : chance > 0.27 ? child : (pick(alone, unit) ?? null)
    const size = single ? 1 : Math.min(count - made, 1 + Math.floor(unit() * inTurnMax))
    turns.push(
      single
        ? [single(n)]
        : Array.from({ length: size }, (_, at) => (pick(together, unit) ?? child)(n + at)),
    )
    made += size
  }
  return turns
}

function storyOf(prompt: Prompt): Story {
  for (const message of prompt.toReversed()) {
    if (message.role !== 'user') continue
    const text = message.parts.map((part) => ('text' in part ? part.text : '')).join('')
    if (text.startsWith('{')) return Story.parse(JSON.parse(text))
  }
  throw new Error('there is no story in the prompt')
}

/** The provider refuses some turns once, and again after each restart. */
function tell(): Script {
  const refused = new Set<string>()
  return (prompt, turn) => {
    const story = storyOf(prompt)
    const key = `${story.seed}.${turn}`
    if ((story.seed + turn) % refusedTurns === 0 && !refused.has(key)) {
      refused.add(key)
      return { status: { code: 503 } }
    }
    const made = turnsOf(story)[turn]
    if (made) return { text: `Turn ${turn}. `, calls: made, delayMs: 3 }
    return { text: `Done with story ${story.seed}.`, delayMs: 3 }
  }
}

const agent = {
  model: { provider: 'scripted' as const, model: 'stories' },
  tools: ['look', 'list', 'put', 'pay', 'ask', 'boom', 'workspace', 'agent:helper'],
  limits: { maxTurns: 200, maxToolCalls: 400 },
  modelRetries: { max: 10, baseMs: 20, capMs: 100 },
  guardrails: { approvalTools: ['ask'] },
  breaker: { threshold: 1_000, openMs: 1 },
}

export const storyConfiguration = () =>
  parseConfig({
    scripts: { stories: tell() },
    tools: storyTools,
    agents: { clerk: agent, helper: agent },
    server: { graceMs: 500, identity: { userHeader: 'x-user' } },
  })
