/**
 * Streams as LangGraph's own clients read them, from a real server. Would catch: a frame lost or shown twice by a resume, a
 * client left with text that was withdrawn, calls shown before their verdict, a stream without an end.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { MessageTupleManager as Manager1 } from 'langgraph-sdk-1/ui'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../packages/server/test/support/http.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { startCuttingProxy } from './support/cutting-proxy.ts'
import { played } from './support/played.ts'
import { clientsOf, collect, normalise, type Part, type RunName } from './support/streamed.ts'

const sentence = (turn: number, n: number): string => `sentence ${turn}.${n} of the answer, «ü» 𝄞. `
const speech = (turn: number, count = 30): string =>
  Array.from({ length: count }, (_, n) => sentence(turn, n)).join('')

/** Speaks in three turns, and looks at something after the first two. */
const speaking =
  (delayMs: number): Script =>
  (_, turn) => ({
    text: speech(turn),
    chunkSize: 30,
    delayMs,
    ...(turn < 2 ? { calls: [{ name: 'look', args: { n: turn } }] } : {}),
  })

let box: TestSignalbox
let stutters = 0
/** Aborted once a note of the counting tool was heard. */
const heard = new AbortController()
const scripted = (model: string) => ({ provider: 'scripted', model }) as const

beforeAll(async () => {
  box = await startTest({
    agents: {
      speaker: { model: scripted('speaker'), tools: ['look'] },
      slow: { model: scripted('slow'), tools: ['look'] },
      clerk: {
        model: scripted('clerk'),
        tools: ['look'],
        guardrails: { approvalTools: ['look'] },
      },
      counter: { model: scripted('counter'), tools: ['count'] },
      stutterer: {
        model: scripted('stutterer'),
        modelRetries: { max: 1, baseMs: 10, capMs: 10 },
      },
      censored: { model: scripted('censored'), tools: ['look'] },
      broken: { model: scripted('broken'), modelRetries: { max: 0, baseMs: 1, capMs: 1 } },
    },
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        effect: 'read',
        input: z.object({ n: z.number() }),
        run: ({ n }) => `seen ${n}`,
      }),
      defineTool({
        name: 'count',
        description: 'Counts until somebody has heard.',
        effect: 'read',
        input: z.object({}),
        run: async (_, { progress, signal }) => {
          for (let n = 1; !heard.signal.aborted; n++) {
            progress(`at ${n}`)
            await sleep(20, undefined, { signal })
          }
          return 'counted'
        },
      }),
    ],
    scripts: {
      speaker: speaking(3),
      slow: speaking(30),
      clerk: (_, turn) =>
        turn === 0
          ? { text: 'Let me look.', calls: [{ name: 'look', args: { n: 7 } }] }
          : { text: 'I have looked.' },
      counter: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'count', args: {} }] } : { text: 'Counted.' },
      stutterer: () => {
        stutters += 1
        const isBroken = stutters % 2 === 1
        const text = isBroken ? `broken ${speech(0)}` : speech(1)
        return { text, chunkSize: 30, delayMs: 8, ...(isBroken ? { ending: 'eof' as const } : {}) }
      },
      censored: () => ({
        text: 'I shall',
        calls: [{ name: 'look', args: { n: 'unheard-of' } }],
        ending: 'content_filter',
      }),
      broken: () => ({ status: { code: 401, error: { message: 'the key sk-secret is wrong' } } }),
    },
  })
})

afterAll(async () => {
  heard.abort()
  await box?.stop()
})

const everything = [
  'values',
  'updates',
  'messages-tuple',
  'messages',
  'custom',
  'events',
  'debug',
  'tasks',
  'checkpoints',
]
/** Whose frames do not depend on when a client was there. */
const lasting = everything.filter((mode) => mode !== 'custom' && mode !== 'messages')

const names = (parts: readonly Part[]) => parts.map(({ event }) => event)
const run = (version: 0 | 1 | 2, agent: string, streamMode: readonly string[]) =>
  collect(clientsOf(box.api)[version].stream(randomUUID(), agent, { streamMode, input: 'Go.' }))

/** The messages that a client has put together from their pieces. */
function assembled(parts: readonly Part[]): ReadonlyMap<string, string> {
  const manager = new Manager1()
  const ids = parts
    .filter(({ event }) => event === 'messages')
    .map(({ data }) => manager.add({ ...data[0] }, data[1]))
  const chunks = ids.map((id) => [id, manager.get(id, undefined)?.chunk] as const)
  return new Map(
    chunks.flatMap(([id, chunk]) =>
      id !== null && chunk && chunk.getType() !== 'remove' ? [[id, chunk.text] as const] : [],
    ),
  )
}

const finalMessages = (parts: readonly Part[]): Part['data'][] =>
  parts.findLast(({ event }) => event === 'values')?.data.messages

/** Where states stand in their thread, as a history or the frames of `checkpoints` say it. */
const placesOf = (states: Part['data'][], at: string, above: string) =>
  states.map((state) => ({
    id: (state[at].configurable ?? state[at]).checkpoint_id,
    parent: (state[above]?.configurable ?? state[above])?.checkpoint_id,
    next: state.next,
    step: state.metadata.step,
    source: state.metadata.source,
  }))

const released = [
  ['1.12.4', 0],
  ['2.0.0', 1],
  ['1.15.0', 2],
] as const

describe.each(played(released))('client %s', (_, version) => {
  it('gets what it asks for, between metadata and end, and nothing else', async () => {
    const expected: Readonly<Record<string, readonly string[]>> = {
      values: ['values'],
      updates: ['updates'],
      'messages-tuple': ['messages'],
      messages: ['messages/metadata', 'messages/partial', 'messages/complete'],
      events: ['events'],
      debug: ['debug'],
      tasks: ['tasks'],
      checkpoints: ['checkpoints'],
    }
    const streams = Object.keys(expected).map((mode) => run(version, 'speaker', [mode]))
    for (const [n, parts] of (await Promise.all(streams)).entries()) {
      expect(parts[0]).toMatchObject({ event: 'metadata', data: { attempt: 1 } })
      expect(parts.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
      expect(new Set(names(parts).slice(1, -1))).toEqual(new Set(Object.values(expected)[n]))
      expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length)
    }
  })

  it('puts the pieces of messages together to the messages of the state, exactly', async () => {
    const parts = await run(version, 'speaker', ['values', 'messages-tuple'])
    const said = finalMessages(parts).filter(({ type }) => type !== 'human')
    expect(said.map(({ type }) => type)).toEqual(['ai', 'tool', 'ai', 'tool', 'ai'])
    expect(Object.fromEntries(assembled(parts))).toEqual(
      Object.fromEntries(said.map(({ id, content }) => [id, content])),
    )
    expect(said.filter(({ type }) => type === 'ai').map(({ content }) => content)).toEqual([
      speech(0),
      speech(1),
      speech(2),
    ])
    const chunks = parts.filter(({ data }) => data?.[0]?.type === 'AIMessageChunk')
    expect(chunks.length).toBeGreaterThan(10)
    const manager = new Manager1()
    for (const { data } of chunks) manager.add({ ...data[0] }, data[1])
    const calls = said.filter(({ type }) => type === 'ai').map(({ tool_calls }) => tool_calls)
    expect(calls.map((each) => each.map(({ args }: Part['data']) => args))).toEqual([
      [{ n: 0 }],
      [{ n: 1 }],
      [],
    ])
    for (const { id, tool_calls } of said.filter(({ type }) => type === 'ai'))
      expect(manager.get(id, undefined)?.chunk).toMatchObject({ tool_calls })
  })

  it('reads updates by node, and the tasks and checkpoints of each step', async () => {
    const parts = await run(version, 'speaker', ['updates', 'tasks', 'checkpoints', 'values'])
    const updates = parts.filter(({ event }) => event === 'updates')
    const nodes = updates.map(({ data }) => Object.keys(data).join())
    expect(nodes).toEqual(['model', 'tools', 'model', 'tools', 'model'])
    const tasks = parts.filter(({ event }) => event === 'tasks').map(({ data }) => data)
    const begun = tasks.filter((task) => 'input' in task)
    const done = tasks.filter((task) => 'result' in task)
    expect(begun.map(({ name }) => name)).toEqual(nodes)
    expect(done.map(({ id }) => id)).toEqual(begun.map(({ id }) => id))
    const checkpoints = parts.filter(({ event }) => event === 'checkpoints').map(({ data }) => data)
    const ids = checkpoints.map(({ config }) => config.configurable.checkpoint_id)
    expect(ids).toEqual([...new Set<string>(ids)].toSorted((a, b) => (a < b ? -1 : 1)))
    expect(
      checkpoints.map(({ parent_config }) => parent_config?.configurable.checkpoint_id),
    ).toEqual([undefined, ...ids.slice(0, -1)])
    expect(checkpoints.map(({ next }) => next)).toEqual([
      ...['model', 'tools', 'model', 'tools', 'model'].map((node) => [node]),
      [],
    ])
    expect(checkpoints.at(-1).values).toEqual(
      parts.findLast(({ event }) => event === 'values')?.data,
    )
  })

  it('sees what was said on the thread before, once the run has its turn', async () => {
    const client = clientsOf(box.api)[version]
    const threadId = randomUUID()
    const wish = { streamMode: ['values', 'updates', 'checkpoints'], input: 'Go.' }
    const [first, second] = await Promise.all(
      [1, 2].map(() => collect(client.stream(threadId, 'speaker', wish))),
    )
    // Whichever came first: the other one waited for it.
    const [before, after] = [first ?? [], second ?? []].toSorted(
      (a, b) => finalMessages(a).length - finalMessages(b).length,
    )
    const messages = finalMessages(before ?? [])
    expect(messages).toHaveLength(6)
    for (const { data } of (after ?? []).filter(({ event }) => event === 'values'))
      expect(data.messages.slice(0, 6)).toEqual(messages)
    expect(names(after ?? []).filter((name) => name === 'updates')).toHaveLength(5)
    const { body: history } = await call(box.api, 'POST', `/threads/${threadId}/history`, {
      body: { limit: 100 },
    })
    const shown = [...(before ?? []), ...(after ?? [])].filter(
      ({ event }) => event === 'checkpoints',
    )
    const places = placesOf(history, 'checkpoint', 'parent_checkpoint')
    expect(places).toEqual(
      expect.arrayContaining(
        placesOf(
          shown.map(({ data }) => data),
          'config',
          'parent_config',
        ),
      ),
    )
    expect(shown.length).toBeGreaterThan(10)
  })

  it('is not left with the text of a try that was withdrawn', async () => {
    const parts = await run(version, 'stutterer', ['values', 'messages-tuple'])
    expect([...assembled(parts).values()]).toEqual([speech(1)])
    const removals = parts.filter(
      ({ event, data }) => event === 'messages' && data[0].type === 'remove',
    )
    expect(removals).toHaveLength(1)
    for (const { data } of parts.filter(({ event }) => event === 'values'))
      expect(JSON.stringify(data)).not.toContain('broken')
  })

  it('never sees arguments of a call that was suppressed', async () => {
    const parts = await run(version, 'censored', [...everything, 'signalbox'])
    expect(JSON.stringify(parts)).not.toContain('unheard-of')
    expect(parts.at(-1)?.data).toMatchObject({ outcome: 'safety_stopped' })
    const [, said] = finalMessages(parts)
    expect(assembled(parts).get(said.id)).toBe(said.content)
    expect(said.content).toMatch(/^I shall\n\n\[The provider stopped this answer for safety/)
  })

  it('is told of an error in our words, after the last state and before the end', async () => {
    const parts = await run(version, 'broken', ['values', 'updates'])
    expect(names(parts).slice(-3)).toEqual(['values', 'error', 'end'])
    expect(parts.at(-2)?.data).toEqual({
      error: 'failed',
      message: expect.stringMatching(/^auth: 401 from scripted: /),
      cause: expect.objectContaining({ class: 'auth', status: 401 }),
    })
    expect(JSON.stringify(parts)).not.toContain('sk-secret')
  })

  it('sees a run that waits for a human as an interrupt, and the end of the stream', async () => {
    const client = clientsOf(box.api)[version]
    const threadId = randomUUID()
    const wish = { streamMode: ['values', 'updates', 'messages-tuple'] }
    const parts = await collect(client.stream(threadId, 'clerk', { ...wish, input: 'Look.' }) ?? [])
    expect(names(parts).slice(-3)).toEqual(['updates', 'values', 'end'])
    const [update, values, end] = parts.slice(-3).map(({ data }) => data)
    expect(values.__interrupt__).toEqual(update.__interrupt__)
    expect(values.__interrupt__).toMatchObject([{ value: { tool: 'look', args: { n: 7 } } }])
    expect(end).toMatchObject({ status: 'interrupted', outcome: null })

    const command = { resume: { decision: 'approve' } }
    const rest = await collect(client.stream(threadId, 'clerk', { ...wish, command }))
    expect(rest.at(-1)?.data).toMatchObject({ status: 'success', outcome: 'completed' })
    expect(finalMessages(rest).map(({ content }) => content)).toEqual([
      'Look.',
      'Let me look.',
      'seen 7',
      'I have looked.',
    ])
    const shown = rest.filter(({ event }) => event === 'messages').map(({ data }) => data[0])
    expect(new Set(shown.map(({ type }) => type))).toEqual(new Set(['tool', 'AIMessageChunk']))
    expect(shown.map(({ content }) => content).join('')).toBe('seen 7I have looked.')
  })

  it('joins behind the frame that it names, and gets each later one once', async () => {
    const client = clientsOf(box.api)[version]
    let name: RunName | undefined
    const onRun = (each: RunName) => (name = each)
    const wish = { streamMode: lasting, input: 'Go.', onRun }
    const whole = await collect(client.stream(randomUUID(), 'speaker', wish))
    if (!name) throw new Error('no run')
    for (const [n, { id }] of whole.entries()) {
      if (n % 9 !== 0 || id === undefined) continue
      const rest = await collect(client.join(name, { streamMode: lasting, lastEventId: id }))
      expect(normalise([...whole.slice(0, n + 1), ...rest])).toEqual(normalise(whole))
    }
    const again = await collect(client.join(name, { streamMode: lasting }))
    expect(normalise(again)).toEqual(normalise(whole))
  })
})

describe('a tool', () => {
  it('says what it does in the mode custom', async () => {
    const parts: Part[] = []
    const wish = { streamMode: ['custom'], input: 'Count.' }
    for await (const part of clientsOf(box.api)[0].stream(randomUUID(), 'counter', wish)) {
      parts.push(part)
      if (part.event === 'custom') heard.abort()
    }
    const [said] = parts.filter(({ event }) => event === 'custom')
    expect(said?.data).toMatchObject({
      type: 'tool.progress',
      tool: 'count',
      note: expect.stringMatching(/^at \d+$/),
    })
    expect(parts.at(-1)?.event).toBe('end')
  })
})

describe('a socket that is killed', () => {
  const seed = 4711
  /** Mulberry32: the same points on every machine. */
  const random = (() => {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), 1 | state)
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296
    }
  })()

  it('at 20 random points costs no frame and doubles none', async () => {
    const modes = ['values', 'updates', 'messages-tuple', 'tasks']
    const plans = Array.from({ length: 10 }, (_, n) => ({
      version: n % 3,
      after: [Math.floor(random() * 12_000), Math.floor(random() * 4_000)],
    }))
    const cutRun = async ({ version, after }: (typeof plans)[number]) => {
      const proxy = await startCuttingProxy(box.api, after)
      const client = clientsOf(proxy.url)[version]
      const direct = clientsOf(box.api)[version]
      if (!client || !direct) throw new Error('no client')
      let undisturbed: Promise<Part[]> | undefined
      const onRun = (name: RunName) => {
        undisturbed = collect(direct.join(name, { streamMode: modes }))
      }
      const wish = { streamMode: modes, input: 'Go.', onRun }
      const parts = await collect(client.stream(randomUUID(), 'slow', wish))
      const whole = await undisturbed
      const cuts = proxy.cuts()
      await proxy.close()
      expect(normalise(parts)).toEqual(normalise(whole ?? []))
      expect([...assembled(parts).values()].filter((text) => !text.startsWith('seen'))).toEqual([
        speech(0),
        speech(1),
        speech(2),
      ])
      return cuts
    }
    const cuts = await Promise.all(plans.map(cutRun))
    expect(cuts.reduce((sum, each) => sum + each, 0)).toBe(20)
  })
})
