/** A server for graphs and agents that run elsewhere and ask its agents: LangGraph's `RemoteGraph`, deepagents' async tasks. */
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import { hold } from '../../../packages/server/test/support/hold.ts'
import { lastResults, note, noting } from '../../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../../packages/server/test/support/signalbox.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const

const count = defineTool({
  name: 'count',
  description: 'Counts, and says how far it is.',
  effect: 'read',
  input: z.object({}),
  run: async (_, { progress }) => {
    // Notes are told to those who listen then: somebody does long before the last.
    for (let n = 1; n <= 20; n += 1) {
      progress(`at ${n}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return 'counted'
  },
})

/** Calls a tool once, and says then what it answered. */
const calling =
  (name: string): Script =>
  (prompt, turn) =>
    turn === 0 ? { calls: [{ name, args: {} }] } : { text: `I read: ${lastResults(prompt)}` }

/** Says what it was told, oldest first. */
const echo: Script = (prompt) => {
  const users = prompt.filter((message) => message.role === 'user')
  const texts = users.flatMap(({ parts }) => parts).map((part) => ('text' in part ? part.text : ''))
  return { text: `heard: ${texts.join(' | ')}` }
}

/** Holds what begins with "Hold", and repeats everything else. */
const patient: Script = (prompt, turn) => {
  const told = echo(prompt, turn).text ?? ''
  return / (\| )?Hold[^|]*$/.test(told) ? calling('hold')(prompt, turn) : { text: told }
}

export const openRemoteScene = (): Promise<TestSignalbox> =>
  startTest({
    agents: {
      clerk: { model: scripted('once'), tools: ['note'] },
      asker: {
        model: scripted('once'),
        tools: ['note'],
        guardrails: { approvalTools: ['note'] },
      },
      counter: { model: scripted('counting'), tools: ['count'] },
      parrot: { model: scripted('echo') },
      patient: { model: scripted('patient'), tools: ['hold'] },
      broken: { model: scripted('failing') },
    },
    tools: [note, hold, count],
    scripts: {
      once: noting(1),
      counting: calling('count'),
      echo,
      patient,
      failing: () => ({ status: { code: 401 } }),
    },
  })

/** What a human says, as LangGraph takes it. */
export const said = (content: string) => ({ messages: [{ role: 'user', content }] })
