/**
 * Agents whose conversations fill their windows, whose threads have files, commands and titles, and a model that is told where it can leak: it
 * says, calls and reads what guardrails take out, it is cut in the middle of words and of arguments, and asked for a summary or a title it
 * repeats every canary that it was shown.
 */
import { partWords, type Prompt } from '@signalbox/core'
import type { Script, Scripts, ScriptedTurn } from '@signalbox/models'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import type { Flock } from './canary.ts'
import { addressOf, hunted, tokenOf } from './cuts.ts'

/** The canaries of a hunt, by where they stand and what becomes of them. */
interface RoomFlocks {
  /** Tokens and addresses that guardrails take out: in answers, arguments, results and summaries. */
  readonly tokens: Flock
  /** Numbers of cards, likewise. */
  readonly cards: Flock
  /** Arguments of calls that the provider cut off. */
  readonly suppressed: Flock
  /** Words of answers that the provider cut off. They stay where they were said. */
  readonly stopped: Flock
  /** Words of results that nothing takes out. No title tells of them. */
  readonly results: Flock
}

/** Stands in every request for a summary. */
export const summaryTask = 'Sum up all of it so far'

/** Stands in every request for a title. */
export const titleTask = 'Name the conversation below'

const reading = 'read_page'
/** The file that each thread is given, and what a command makes of it. */
export const givenName = 'given.txt'
const command = (secret: string): string =>
  `printf '%s' '${secret}' > kept.txt; cat uploads/${givenName} kept.txt`

/** Some 700 tokens: seven of them fill a window of 8,000. */
const fill = 'Nothing of note stands here. '.repeat(90)

const contextWindow = 8_000
/** So long may the conversation of an agent be that knows no window, until its provider refuses it. */
const overflowChars = 22_000

/** The model that sums up for an agent that has one for it. */
function writerOf(agent: string): string {
  return `${agent}-writer`
}

/** By what they keep behind a summary, or do before one. */
const contexts = {
  'keeps-one': { compact: { keep: 1, maxPerRun: 100 } },
  'keeps-some': { compact: { keep: 1_600, maxPerRun: 100 } },
  'keeps-more': { compact: { keep: 3_200, maxPerRun: 100 } },
  // Another model sums up: all of it is written out.
  'written-out': { compact: { keep: 1_600, maxPerRun: 100, model: writerOf('written-out') } },
  prunes: { prune: { at: 0.5, minTokens: 500, keepTurns: 2 }, compact: { keep: 1_600 } },
  overflows: null,
} as const

/** The agents. */
export const roomAgents = Object.keys(contexts)

/** The words of a user: pages to read, or an answer that its provider will cut. `mark` is a canary of the user's tenant. */
export const readTo = (page: number, mark: string): string => `Read to page ${page} for ${mark}.`
export const stopFor = (mark: string): string => `Say what must not be said for ${mark}.`

/** The order that stands in a prompt: the last one of a user. */
interface Order {
  readonly mark: string
  /** The page to read to; null: an answer that is cut. */
  readonly page: number | null
}

function orderIn(prompt: Prompt): Order {
  const said = prompt.flatMap((message) =>
    message.role === 'user' ? message.parts.map(partWords) : [],
  )
  const orders = said
    .join('\n')
    .matchAll(/(?:Read to page (\d+)|Say what must not be said) for (\w+)\./g)
  const last = [...orders].at(-1)
  if (!last?.[2]) throw new Error('there is no order in the prompt')
  return { mark: last[2], page: last[1] === undefined ? null : Number(last[1]) }
}

/** The newest page that the prompt knows of: by a call, or by a summary. */
function pageIn(prompt: Prompt): number {
  // Written out as one text, a call has its quotes escaped.
  const pages = JSON.stringify(prompt).matchAll(/page\\*":(\d+)|Up to page (\d+)/g)
  return Math.max(0, ...[...pages].map(([, called, summed]) => Number(called ?? summed)))
}

const isSummary = (prompt: Prompt): boolean => JSON.stringify(prompt.at(-1)).includes(summaryTask)
const isTitle = (prompt: Prompt): boolean => JSON.stringify(prompt).includes(titleTask)

/** Everything that looks like a canary, in whatever it stands. */
const canariesIn = (prompt: Prompt): readonly string[] => [
  ...new Set(JSON.stringify(prompt).match(/\w*cn[0-9a-f]{10}\w*|\b4\d{11,15}\b/g) ?? []),
]

function script(flocks: RoomFlocks): Script {
  const { tokens, cards, suppressed, stopped } = flocks
  const secrets = (): string =>
    `The token is ${tokenOf(tokens.next())}, write to ${addressOf(tokens.next())} about ${cards.next()}.`
  const summary = (prompt: Prompt): ScriptedTurn => ({
    text: `Up to page ${pageIn(prompt)}. It was said: ${canariesIn(prompt).join(' ')}. ${secrets()}`,
    chunkSize: 17,
  })
  return (prompt) => {
    if (isSummary(prompt)) return summary(prompt)
    if (isTitle(prompt)) return { text: `About ${canariesIn(prompt).at(-1) ?? 'nothing'}` }
    const { mark, page } = orderIn(prompt)
    if (page === null)
      return {
        // Long enough behind it: a guardrail holds the end of a text that is cut, and what it holds is kept nowhere.
        text: `Take ${stopped.next()} of it. And so on.`,
        calls: [{ name: hunted, args: { content: suppressed.next() } }],
        chunkSize: 13,
        ending: 'content_filter',
      }
    const next = pageIn(prompt) + 1
    if (next > page) return { text: `That was it for ${mark}. ${secrets()}`, chunkSize: 17 }
    const calls = [
      { name: reading, args: { page: next, of: mark } },
      // The secrets that a call would write down are taken out before it does.
      ...(next % 3 === 0 ? [{ name: hunted, args: { content: secrets(), of: mark } }] : []),
      ...(next % 5 === 1 ? [{ name: 'bash', args: { command: command(secrets()) } }] : []),
    ]
    return { text: 'I read on.', calls }
  }
}

/** The same, at a provider that refuses what is too long. */
const refusing =
  (plays: Script): Script =>
  (prompt, turn) =>
    JSON.stringify(prompt).length <= overflowChars
      ? plays(prompt, turn)
      : {
          status: {
            code: 400,
            error: {
              code: 'context_length_exceeded',
              message: "This model's maximum context length is 6000 tokens.",
            },
          },
        }

/** The scripts, by the names of the agents. */
export function roomScripts(flocks: RoomFlocks): Scripts {
  const plays = script(flocks)
  return Object.fromEntries(
    Object.entries(contexts).flatMap(([name, context]) => [
      [name, context === null ? refusing(plays) : plays],
      [writerOf(name), plays],
    ]),
  )
}

/** The agents at a provider, and their tools. What is executed of `hunted` is written to `written`. */
export function roomConfig(
  baseURL: string,
  { tokens, cards, results }: RoomFlocks,
  written: string[],
): Pick<ConfigInput, 'agents' | 'sandbox' | 'tools'> {
  const personal = { use: 'pii', arguments: true, toolResults: true } as const
  const agents = Object.entries(contexts).map(([name, context]) => {
    const modelOf = (model: string) => ({
      provider: 'openai-compatible' as const,
      model,
      baseURL,
      apiKeyEnv: 'TEST_KEY',
      ...(context === null ? {} : { contextWindow }),
    })
    const agent: ConfigInput['agents'][string] = {
      model: modelOf(name),
      ...(name === 'written-out' ? { fallbackModels: [modelOf(writerOf(name))] } : {}),
      tools: [reading, hunted, 'bash'],
      title: {},
      guardrails: { stream: ['secrets', personal] },
      modelRetries: { max: 0 },
      loop: { enabled: false },
      ...(context === null ? {} : { context }),
    }
    return [name, agent] as const
  })
  const tools = [
    defineTool({
      name: reading,
      description: 'Reads a page.',
      effect: 'read',
      input: z.object({ page: z.number(), of: z.string() }),
      run: ({ page, of }) =>
        `Page ${page} of ${of}. The token ${tokenOf(tokens.next())} of ${addressOf(tokens.next())}, card ${cards.next()}. A word: ${results.next()}. ${fill}`,
    }),
    defineTool({
      name: hunted,
      description: 'Writes something down.',
      effect: 'once',
      input: z.looseObject({}),
      run: (args) => {
        written.push(JSON.stringify(args))
        return 'written'
      },
    }),
  ]
  return { agents: Object.fromEntries(agents), sandbox: { use: 'virtual' }, tools }
}
