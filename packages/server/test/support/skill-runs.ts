/** A scripted model that makes the calls which its user has written down, and what tests of skills look at. */
import { type JsonObject, partWords, type Prompt } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { expect } from 'vitest'
import { call } from './http.ts'
import { lastResults } from './notes.ts'
import type { TestSignalbox } from './signalbox.ts'

/** All prompts, oldest first. */
export const prompts: Prompt[] = []

/** The texts of the messages of a user, oldest first. Parts of a message are one text by the time they come to a model. */
export const userTexts = (prompt: Prompt): readonly string[] =>
  prompt.flatMap((message) =>
    message.role === 'user'
      ? message.parts.map((part) => (part.type === 'text' ? part.text : partWords(part)))
      : [],
  )

type Asked = readonly [string, JsonObject]

/** Words of a user: the calls of each turn. */
export const planOf = (...turns: readonly (readonly Asked[])[]): string =>
  `plan:${JSON.stringify(turns)}`

/** Makes the calls of the newest plan, a turn each; then says what the last of them answered. */
export const playing: Script = (prompt, turn) => {
  prompts.push(prompt)
  const plans = userTexts(prompt).flatMap((text) => text.match(/(?<=plan:).*$/gm) ?? [])
  const turns: readonly (readonly Asked[])[] = JSON.parse(plans.at(-1) ?? '[]')
  const calls = turns[turn]?.map(([name, args]) => ({ name, args }))
  return calls ? { calls } : { text: `Last: ${lastResults(prompt)}` }
}

export const load = (name: string): Asked => ['load_skill', { name }]
export const read = (path: string): Asked => ['read_file', { path }]
export const bash = (command: string): Asked => ['bash', { command }]
export const note = (text: string): Asked => ['note', { text }]

/** An event as it is told. */
export interface Told {
  readonly type: string
  readonly verdict: string | null
  readonly tool: string | null
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads freely; the schemas are what is tested
  readonly payload: any
}

/** The questions of tests to a box. `boxOf`: the one that runs now. */
export const skillRuns = (boxOf: () => TestSignalbox) => {
  const send = (method: string, path: string, body?: unknown) =>
    call(boxOf().api, method, path, body === undefined ? {} : { body })
  const start = async (agent: string, text: string, thread?: string): Promise<string> => {
    const place = thread === undefined ? '' : `/threads/${thread}`
    const input = { messages: [{ role: 'user', content: text }] }
    const answer = await send('POST', `${place}/runs`, { assistant_id: agent, input })
    expect(answer.status).toBe(200)
    return String(answer.body.run_id)
  }
  const joined = async (runId: string) => (await send('GET', `/runs/${runId}/join`)).body
  const eventsOf = async (runId: string): Promise<readonly Told[]> =>
    (await send('GET', `/runs/${runId}/events?limit=1000`)).body.events
  return {
    send,
    start,
    joined,
    eventsOf,
    run: async (agent: string, text: string, thread?: string): Promise<string> => {
      const runId = await start(agent, text, thread)
      await joined(runId)
      return runId
    },
    ofType: async (runId: string, type: string): Promise<readonly Told[]> =>
      (await eventsOf(runId)).filter((event) => event.type === type),
    /** The results of calls, in their order. */
    results: async (runId: string): Promise<readonly string[]> =>
      (await eventsOf(runId)).flatMap(({ type, payload }) => {
        if (type === 'tool.completed')
          return payload.output.content.map((part: { text?: string }) => part.text ?? '').join('\n')
        return type === 'tool.failed' || type === 'call.denied'
          ? [`${payload.error?.code ?? payload.code}: ${payload.error?.message ?? payload.message}`]
          : []
      }),
  }
}
