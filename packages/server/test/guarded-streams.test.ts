/**
 * What a client sees of a run that is guarded: over real sockets, with a scripted model. Would catch: a redaction that a
 * delta gets around, text that is withdrawn and stays on a screen, a provider's words where users read.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Prompt } from '@signalbox/core'
import { type ConfigInput, defineGuardrail } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, readSse, type Sse } from './support/http.ts'
import { note } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let dir: string
let box: TestSignalbox
/** The prompts that were asked, by script. */
const prompts = new Map<string, Prompt[]>()
const heard = (script: string, prompt: Prompt): number =>
  prompts.set(script, [...(prompts.get(script) ?? []), prompt]).get(script)?.length ?? 0

const scripted = (model: string) => ({ provider: 'scripted', model }) as const
/** Long enough that a client sees some of it before the rest is there. */
const preface = 'This is said slowly, and at length. '.repeat(12)
const secret = 'organisation org-4711 of ACME'

const config: ConfigInput = {
  agents: {
    holder: { model: scripted('holder'), tools: ['hold'] },
    leaky: { model: scripted('leaky'), tools: ['note'], guardrails: { stream: ['pii'] } },
    rude: {
      model: scripted('rude'),
      guardrails: {
        stream: [{ use: 'banned-terms', terms: ['you fool'] }],
        maxGuardrailRetries: 1,
      },
    },
    hopeless: {
      model: scripted('hopeless'),
      guardrails: {
        stream: [{ use: 'banned-terms', terms: ['you fool'] }],
        maxGuardrailRetries: 1,
      },
    },
    own: {
      model: scripted('own'),
      guardrails: {
        stream: [
          './guards.mjs#shout',
          defineGuardrail({
            id: 'no-end',
            name: 'No end',
            handle: (part) =>
              part.type === 'text' && part.text.includes('END')
                ? { type: 'stop', part, reason: 'It said END.' }
                : { type: 'pass', part },
          }),
        ],
      },
    },
    broken: { model: scripted('broken'), modelRetries: { max: 1, baseMs: 1, capMs: 1 } },
    fixer: { model: scripted('fixer'), guardrails: { stream: ['error-recovery'] } },
    replaced: { model: scripted('locked'), fallbackModels: [scripted('spare')] },
  },
  tools: [hold, note],
  scripts: {
    holder: (_, turn) => (turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Go.' }),
    leaky: (prompt, turn) => {
      heard('leaky', prompt)
      const text = `${preface}Write to ann.lee@example.com today. ${preface}`
      return turn === 0
        ? { text, chunkSize: 7, delayMs: 8, calls: [{ name: 'note', args: { text: 'x' } }] }
        : { text: 'Done.' }
    },
    // Each run of it is asked twice.
    rude: (prompt) =>
      heard('rude', prompt) % 2 === 1
        ? { text: `${preface}Go, you fool, and go.`, chunkSize: 7, delayMs: 8 }
        : { text: `${preface}Please.`, chunkSize: 7, delayMs: 8 },
    hopeless: () => ({ text: 'Well, you fool.', chunkSize: 4 }),
    own: () => ({ text: 'some words, and the END of it', chunkSize: 100 }),
    broken: (prompt) =>
      heard('broken', prompt) === 1
        ? { status: { code: 500, error: { message: `Internal: ${secret}` } } }
        : { text: 'It works.' },
    fixer: (prompt) =>
      heard('fixer', prompt) === 1
        ? {
            status: {
              code: 400,
              error: {
                message: `tool call validation failed: parameters for tool note did not match schema: errors: [${secret}]`,
              },
            },
          }
        : { text: 'Fixed.' },
    locked: () => ({
      status: { code: 401, error: { message: `Wrong key: ${secret}`, code: 'invalid_api_key' } },
    }),
    spare: () => ({ text: 'From the spare one.' }),
  },
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-guarded-'))
  await writeFile(
    join(dir, 'guards.mjs'),
    `export const shout = {
      id: 'shout',
      name: 'Shout',
      handle: (part) =>
        ({ type: 'pass', part: part.type === 'text' ? { ...part, text: part.text.replace('words', 'WORDS') } : part }),
    }`,
  )
  box = await startTest(config, { dataDir: dir })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
  await rm(dir, { recursive: true, force: true })
})

/** All frames of a run that is heard from before it begins, and its events as the register has them. */
async function watch(agent: string) {
  const input = { input: 'Go on.' }
  const { body: holder } = await call(box.api, 'POST', '/runs', {
    body: { assistant_id: 'holder', ...input },
  })
  const where = `/threads/${holder.thread_id}/runs`
  const { body: run } = await call(box.api, 'POST', where, {
    body: { assistant_id: agent, ...input },
  })
  const path = `${where}/${run.run_id}`
  const response = await fetch(`${box.api}${path}/stream?stream_mode=signalbox`)
  const frames: Sse[] = []
  if (!response.body) throw new Error('no body')
  for await (const frame of readSse(response.body)) {
    frames.push(frame)
    if (frame.hasId) letGo(String(holder.run_id))
    if (frame.event === 'end') break
  }
  const { body } = await call(box.api, 'GET', `${path}/events?limit=1000`)
  const { body: joined } = await call(box.api, 'GET', `${path}/join`)
  return { frames, events: JSON.stringify(body.events), joined, path }
}

const deltas = (frames: readonly Sse[]) =>
  frames.filter(({ event }) => event === 'message.delta').map(({ data }) => data)
const shown = (frames: readonly Sse[]): string =>
  deltas(frames)
    .map(({ text }) => text)
    .join('')
/** Text in flight is a hint and may be lost: another run is watched until some of it was heard. */
async function watchLive(agent: string, isHeard: (frames: readonly Sse[]) => boolean) {
  for (;;) {
    const watched = await watch(agent)
    if (isHeard(watched.frames)) return watched
  }
}

const resets = (frames: readonly Sse[]) => frames.filter(({ event }) => event === 'reset-step')

describe('a redaction', () => {
  it('of what is split over deltas reaches the client, the register and the next prompt', async () => {
    const said = 'Write to [redacted:email] today.'
    const { frames, events, joined } = await watchLive(
      'leaky',
      (seen) => deltas(seen).length > 2 && shown(seen).includes(said),
    )
    expect(joined.outcome).toBe('completed')
    expect(events).toContain(said)
    expect(JSON.stringify(joined.messages)).toContain(said)
    expect(JSON.stringify(prompts.get('leaky')?.at(-1))).toContain(said)
    for (const text of [JSON.stringify(frames), events, JSON.stringify(prompts.get('leaky'))])
      expect(text).not.toMatch(/ann\.lee|example\.com/)
  })
})

describe('text that is withdrawn', () => {
  it('by a guardrail is told before its event, and the message begins anew', async () => {
    const { frames, joined, path } = await watchLive('rude', (seen) =>
      [false, true].every((isNew) => deltas(seen).some(({ attempt }) => attempt >= 1001 === isNew)),
    )
    const [reset, ...more] = resets(frames)
    expect(more).toEqual([])
    const at = frames.findIndex(({ event }) => event === 'guardrail.tripped')
    expect(frames[at - 1]).toBe(reset)
    const { messageId } = frames[at]?.data.payload ?? {}
    expect(reset).toMatchObject({ hasId: false })
    expect(reset?.data).toEqual({
      run_id: joined.run.run_id,
      message_id: messageId,
      attempt: 1001,
      reason: 'guardrail',
      guardrail: 'banned-terms',
    })
    const pieces = deltas(frames).filter(({ message_id }) => message_id === messageId)
    const [before, anew] = [
      pieces.filter(({ attempt }) => attempt < 1001),
      pieces.filter(({ attempt }) => attempt >= 1001),
    ]
    const withdrawn = before.map(({ text }) => text).join('')
    expect(withdrawn).not.toBe('')
    for (const { offset, text } of before)
      expect(`${preface}Go, `.slice(offset).startsWith(text)).toBe(true)
    // Any delta may be lost: each one says where it begins.
    const said = `${preface}Please.`
    for (const { offset, text } of anew) expect(said.slice(offset).startsWith(text)).toBe(true)
    expect(joined.messages.at(-1).content).toBe(said)
    expect(JSON.stringify(frames)).not.toContain('you fool')

    // Whoever has the event has had the reset; whoever has not gets both.
    const seq = Number(frames[at]?.id)
    for (const [after, told] of [
      [seq, 0],
      [seq - 1, 1],
      [0, 1],
    ] as const) {
      const headers = { 'last-event-id': String(after) }
      const again = await fetch(`${box.api}${path}/stream?stream_mode=signalbox`, { headers })
      expect((await again.text()).match(/^event: reset-step$/gm) ?? []).toHaveLength(told)
    }
  })

  it('by a retry is told, with the class of the error and not the words of the provider', async () => {
    const { frames, events, joined } = await watch('broken')
    expect(joined.messages.at(-1).content).toBe('It works.')
    expect(resets(frames).map(({ data }) => data)).toMatchObject([
      { reason: 'retry', attempt: 1001 },
    ])
    const retried = frames.find(({ event }) => event === 'model.retried')
    expect(retried?.data.payload).toMatchObject({
      retry: 1,
      message: expect.stringMatching(/^overloaded: 500 from scripted: /),
    })
    const failed = frames.find(({ event }) => event === 'model.completed')
    expect(failed?.data.payload.turn.error.message).toContain('500')
    expect(JSON.stringify(frames)).not.toContain(secret)
    expect(events).toContain(secret)
  })

  it('by a correction of an error is told, and what the model reads of it is not', async () => {
    const { frames, joined } = await watch('fixer')
    expect(joined.messages.at(-1).content).toBe('Fixed.')
    expect(resets(frames).map(({ data }) => data)).toMatchObject([
      { reason: 'guardrail', guardrail: 'error-recovery' },
    ])
    expect(JSON.stringify(prompts.get('fixer')?.at(-1))).toContain(secret)
    expect(JSON.stringify(frames)).not.toContain(secret)
  })

  it('by another model is told', async () => {
    const said = 'From the spare one.'
    const { frames, events, joined } = await watchLive('replaced', (seen) => shown(seen) === said)
    expect(joined.messages.at(-1).content).toBe(said)
    expect(resets(frames).map(({ data }) => data)).toMatchObject([
      { reason: 'fallback', attempt: 1001 },
    ])
    expect(JSON.stringify(frames)).not.toContain(secret)
    expect(events).toContain(secret)
  })
})

describe('a run that a guardrail ends', () => {
  it('says so once its corrections are used up', async () => {
    const { frames, joined } = await watch('hopeless')
    expect(joined.outcome).toBe('guardrail_stopped')
    expect(resets(frames)).toHaveLength(1)
    expect(joined.messages.at(-1).content).toContain('[A guardrail (')
    expect(JSON.stringify(frames)).not.toContain('you fool')
  })

  it('is ended by a guardrail of the configuration, after one of a module changed the text', async () => {
    const { frames, joined, events } = await watch('own')
    expect(joined.outcome).toBe('guardrail_stopped')
    expect(shown(frames)).not.toContain('END')
    expect(events).toContain('"no-end"')
  })
})
