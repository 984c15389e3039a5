/**
 * Long results: shown as head and tail, read on by the model. Would catch: a pointer that leads nowhere, a result that
 * another thread can read.
 */
import type { Prompt } from '@signalbox/core'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from './support/http.ts'
import { lastResults } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** 100,000 characters, each line with its own place in it. */
const long = Array.from({ length: 10_000 }, (_, n) => `${String(n).padStart(9, '0')}\n`).join('')
const keyIn = (text: string): string => /"result":"([0-9a-f]{64})"/.exec(text)?.[1] ?? 'no key'

let box: TestSignalbox
const read: string[] = []
let key = ''

beforeAll(async () => {
  box = await startTest({
    agents: {
      reader: {
        model: { provider: 'scripted', model: 'reader' },
        tools: ['dump'],
        guardrails: { provider: { use: 'allowlist', allowedTools: ['dump'] } },
      },
      thief: { model: { provider: 'scripted', model: 'thief' }, tools: ['dump'] },
    },
    tools: [
      defineTool({
        name: 'dump',
        description: 'Answers a lot.',
        effect: 'read',
        input: z.object({}),
        run: () => long,
      }),
    ],
    scripts: {
      reader: (prompt: Prompt, turn) => {
        if (turn === 0) return { calls: [{ name: 'dump', args: {} }] }
        read.push(lastResults(prompt))
        if (turn > 1) return { text: 'Read.' }
        key = keyIn(lastResults(prompt))
        return { calls: [{ name: 'read_result', args: { result: key, offset: 50_000 } }] }
      },
      thief: (prompt: Prompt, turn) =>
        turn === 0
          ? { calls: [{ name: 'read_result', args: { result: key, offset: 0 } }] }
          : { text: lastResults(prompt) },
    },
  })
})
afterAll(() => box?.stop())

const run = async (assistant_id: string) =>
  (await call(box.api, 'POST', '/runs/wait', { body: { assistant_id, input: 'Read.' } })).body

describe('a result of 100 kB', () => {
  it('is shown as head, tail and a pointer, and read on in from any character', async () => {
    const values = await run('reader')
    expect(values.outcome).toBe('completed')
    const [shown = '', page = ''] = read
    expect(shown.length).toBeLessThan(12_000)
    expect(shown.startsWith(long.slice(0, 1000))).toBe(true)
    expect(shown).toContain(long.slice(-1000))
    expect(shown).toMatch(/\[Read on with read_result \{"result":"[0-9a-f]{64}","offset":\d+\}\]/)
    expect(page).toContain('[Characters 50000 to 60000 of 100000]')
    expect(page).toContain(long.slice(50_000, 60_000))
  })

  it('is nothing to another thread', async () => {
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    const values = await run('thief')
    expect(values.messages.at(-1).content).toContain('unknown_result')
    expect(JSON.stringify(values.messages)).not.toContain(long.slice(0, 40).trim())
  })
})
