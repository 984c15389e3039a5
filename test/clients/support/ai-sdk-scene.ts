/** A server with an agent for everything that a chat may meet. */
import type { Prompt } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import { hold } from '../../../packages/server/test/support/hold.ts'
import { note, noting } from '../../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../../packages/server/test/support/signalbox.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const

const sentence = (turn: number, n: number): string => `sentence ${turn}.${n} of the answer, «ü» 𝄞. `
export const speech = (turn: number): string =>
  Array.from({ length: 20 }, (_, n) => sentence(turn, n)).join('')

/** Speaks in three turns, and looks at something after the first two. */
const speaking =
  (delayMs: number): Script =>
  (_, turn) => ({
    text: speech(turn),
    chunkSize: 30,
    delayMs,
    ...(turn < 2 ? { calls: [{ name: 'look', args: { n: turn } }] } : {}),
  })

/** Every prompt of the model that hears everything. */
export const heard: Prompt[] = []
/** Lets the tool that counts come back. */
export const enough = new AbortController()

let tries = 0
/** The first of two tries says something else, at length. */
const second = (first: object, then: object) => () => {
  tries += 1
  return { chunkSize: 30, delayMs: 8, ...(tries % 2 === 1 ? first : then) }
}

const note2: Script = (_, turn) =>
  turn === 0
    ? {
        text: 'I note two things.',
        calls: ['milk', 'bread'].map((text) => ({ name: 'note', args: { text } })),
      }
    : { text: 'Noted, or not.' }

const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }

export const startScene = (): Promise<TestSignalbox> =>
  startTest({
    agents: {
      speaker: { model: scripted('speaker'), tools: ['look'] },
      slow: { model: scripted('slow'), tools: ['look'] },
      listener: { model: scripted('listener') },
      thinker: { model: scripted('thinker') },
      clerk: { model: scripted('once'), ...asking },
      pair: { model: scripted('pair'), ...asking },
      boss: { model: scripted('once'), ...asking, approvals: { roles: ['lead'] } },
      holder: { model: scripted('holder'), tools: ['hold'] },
      counter: { model: scripted('counter'), tools: ['count'] },
      planner: { model: scripted('planner'), tools: ['agent:listener'] },
      barred: {
        model: scripted('once'),
        tools: ['note'],
        guardrails: { provider: { use: 'allowlist', deniedTools: ['note'] } },
      },
      rude: {
        model: scripted('rude'),
        guardrails: { stream: [{ use: 'banned-terms', terms: ['you fool'] }] },
      },
      stutterer: { model: scripted('stutterer'), modelRetries: { max: 1, baseMs: 10, capMs: 10 } },
      censored: { model: scripted('censored'), tools: ['look'] },
      broken: { model: scripted('broken'), modelRetries: { max: 0, baseMs: 1, capMs: 1 } },
    },
    tools: [
      note,
      hold,
      defineTool({
        name: 'look',
        description: 'Looks.',
        effect: 'read',
        input: z.object({ n: z.number() }),
        run: ({ n }) => ({ content: [{ type: 'text', text: `seen ${n}` }], structured: { n } }),
      }),
      defineTool({
        name: 'count',
        description: 'Counts until it is enough.',
        effect: 'read',
        input: z.object({}),
        run: async (_, { progress }) => {
          for (let n = 1; !enough.signal.aborted; n++) {
            progress(`at ${n}`)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
          return 'counted'
        },
      }),
    ],
    scripts: {
      speaker: speaking(3),
      slow: speaking(20),
      listener: (prompt) => {
        heard.push(prompt)
        return { text: 'I hear you.' }
      },
      thinker: () => ({ reasoning: 'Hm. ', text: 'Yes.', chunkSize: 2, delayMs: 3 }),
      once: noting(1),
      pair: note2,
      holder: (_, turn) => (turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Go.' }),
      counter: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'count', args: {} }] } : { text: 'Counted.' },
      planner: (_, turn) =>
        turn === 0
          ? { calls: [{ name: 'agent__listener', args: { prompt: 'Hear.' } }] }
          : { text: 'It heard.' },
      rude: second({ text: `${speech(0)}Go, you fool.` }, { text: speech(1) }),
      stutterer: second({ text: `broken ${speech(0)}`, ending: 'eof' }, { text: speech(1) }),
      censored: () => ({
        text: 'I shall',
        calls: [{ name: 'look', args: { n: 'unheard-of' } }],
        ending: 'content_filter',
      }),
      broken: () => ({ status: { code: 401, error: { message: 'the key sk-secret is wrong' } } }),
    },
    server: { identity: { userHeader: 'x-user', roleHeader: 'x-role' } },
  })
