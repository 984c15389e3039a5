/** A server with agents that speak, ask, start others and stutter. */
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import { hold, letAllGo } from '../../../packages/server/test/support/hold.ts'
import { note, noting } from '../../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../../packages/server/test/support/signalbox.ts'

/** What the speaker says in a turn. */
export const speech = (turn: number): string =>
  Array.from({ length: 8 }, (_, n) => `sentence ${turn}.${n} of the answer, «ü» 𝄞. `).join('')

export interface TapeScene {
  readonly box: TestSignalbox
  readonly close: () => Promise<void>
}

const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }

const scripts: Readonly<Record<string, () => Script>> = {
  speaker: () => (_, turn) => ({
    text: speech(turn),
    chunkSize: 11,
    delayMs: 2,
    ...(turn < 2 ? { calls: [{ name: 'look', args: { n: turn } }] } : {}),
  }),
  pair: () => (_, turn) =>
    turn === 0
      ? { calls: ['milk', 'bread'].map((text) => ({ name: 'note', args: { text } })) }
      : { text: 'Both are noted.' },
  parent: () => (prompt) =>
    JSON.stringify(prompt.at(-1)).includes('Go.')
      ? { calls: [{ name: 'agent__child', args: { prompt: 'Say it.' } }] }
      : { text: 'It was said.' },
  holding: () => (_, turn) =>
    turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
  stutterer: () => {
    let tries = 0
    return () => {
      const isBroken = (tries += 1) % 2 === 1
      const text = isBroken ? `broken ${speech(0)}` : speech(1)
      return { text, chunkSize: 30, delayMs: 8, ...(isBroken ? { ending: 'eof' as const } : {}) }
    }
  },
  censored: () => () => ({
    text: 'I shall',
    calls: [{ name: 'look', args: { n: 'unheard-of' } }],
    ending: 'content_filter',
  }),
}

export async function openTapeScene(): Promise<TapeScene> {
  const box = await startTest({
    agents: {
      speaker: { model: scripted('speaker'), tools: ['look'] },
      asker: { model: scripted('once'), ...asking },
      pair: { model: scripted('pair'), ...asking },
      parent: { model: scripted('parent'), tools: ['agent:child'] },
      child: { model: scripted('child') },
      holder: { model: scripted('holding'), tools: ['hold'] },
      stutterer: {
        model: scripted('stutterer'),
        modelRetries: { max: 1, baseMs: 10, capMs: 10 },
      },
      censored: { model: scripted('censored'), tools: ['look'] },
    },
    tools: [
      note,
      hold,
      defineTool({
        name: 'look',
        description: 'Looks.',
        effect: 'read',
        input: z.object({ n: z.number() }),
        run: ({ n }) => `seen ${n}`,
      }),
    ],
    scripts: {
      ...Object.fromEntries(Object.entries(scripts).map(([name, make]) => [name, make()])),
      once: noting(1),
      child: () => ({ text: 'Said.' }),
    },
  })
  return {
    box,
    close: async () => {
      letAllGo()
      await box.stop()
    },
  }
}
