/**
 * Runs of every outcome as AG-UI's events, over recorded logs and over text that streams, read by AG-UI's own client. Would
 * catch: something left open, something after the end, a resume that loses or repeats a result, text of a try that stays.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { LiveText, RunHead, StoredEvent } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgUiEvent } from '../src/wires/ag-ui/event.ts'
import { RunEvents } from '../src/wires/ag-ui/stream/run-events.ts'
import { isVerdict, Projection } from '../src/wires/langgraph/stream/projection.ts'
import { checkProtocol, ReplayingAgent } from '../../../test/clients/support/ag-ui.ts'
import { event, type Told } from './support/followed.ts'

const folder = new URL('../../../test/replay/logs/', import.meta.url)
const Log = z.object({
  run: z.string(),
  events: z.array(z.object({ seq: z.number(), type: z.string(), payload: z.json() })),
})
const logs = readdirSync(folder).filter((name) => name.endsWith('.json'))

function eventsOf(name: string): readonly StoredEvent[] {
  const { run, events } = Log.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the register stores objects only
  return events.map(({ seq, ...told }) => event(seq, told as Told, run))
}

const headOf = ([first]: readonly StoredEvent[]): RunHead => ({
  runId: first?.runId ?? '',
  tenantId: 'default',
  threadId: 't',
  agent: 'writer',
  definitionHash: '',
  machine: 'run',
  machineVersion: 1,
  status: 'ended',
  stateName: 'completed',
  outcome: 'completed',
  seq: 0,
  facts: 0,
  decided: 0,
  state: null,
  headHash: '',
  cancelRequested: false,
  metadata: {},
  parent: null,
  dueAt: 0,
  place: 1,
  base: null,
  multitask: 'enqueue',
  priority: 0,
  laned: false,
  createdAt: 0,
  updatedAt: 0,
})

/** How the text of a turn reached the client before the turn was completed. */
const ways: Readonly<Record<string, (text: string) => readonly string[]>> = {
  'not at all': () => [],
  whole: (text) => [text.slice(0, 3), text.slice(3)],
  'in part': (text) => [text.slice(0, Math.ceil(text.length / 2))],
  'as another': () => ['This is ', 'not what counts.'],
}

const Completed = z.object({
  effectId: z.string(),
  attempt: z.number(),
  turn: z.object({
    message: z.object({
      id: z.string(),
      parts: z.array(z.looseObject({ text: z.string().default('') })),
    }),
  }),
})

function* live(of: StoredEvent, way: string, tries: number): Generator<LiveText> {
  const { attempt, turn } = Completed.parse(of.payload)
  let offset = 0
  for (const text of ways[way]?.(turn.message.parts.map((part) => part.text).join('')) ?? []) {
    yield { messageId: turn.message.id, attempt: tries * 1000 + attempt, text, offset }
    offset += text.length
  }
}

/** One stream: up to where the run waits, or ends. */
function streamOf(
  events: readonly StoredEvent[],
  about: ReadonlySet<string>,
  way: string,
): AgUiEvent[] {
  const sent = new Map()
  const asked = { threadId: 't', runId: `r${about.size}`, sent, state: {}, about, isRepeat: true }
  const run = new RunEvents(headOf(events), asked)
  const shown: AgUiEvent[] = []
  let tries = 0
  for (const each of events) {
    if (!isVerdict(each)) shown.push(...run.flush())
    if (run.isOver) return shown
    if (run.needsHistory(each)) run.begin([])
    if (each.type === 'model.completed')
      for (const piece of live(each, way, (tries += 1))) shown.push(...run.say(piece))
    shown.push(...run.see(each))
  }
  shown.push(...run.flush())
  const { outcome } = z
    .object({ outcome: z.string().nullable() })
    .parse(events.findLast(({ type }) => type === 'run.transitioned')?.payload)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the log says one of them
  shown.push(...run.end(outcome as Parameters<RunEvents['end']>[0]))
  return shown
}

/** Streams until the run has ended, each read by the same client. */
async function read(events: readonly StoredEvent[], way: string) {
  const reader = new ReplayingAgent()
  let about: ReadonlySet<string> = new Set()
  const endings: AgUiEvent[] = []
  for (let n = 0; n < 50; n += 1) {
    const shown = streamOf(events, about, way)
    const runId = `r${about.size}`
    await checkProtocol([{ type: 'RUN_STARTED', threadId: 't', runId }, ...shown], reader)
    const ending = shown.at(-1)
    if (ending) endings.push(ending)
    if (ending?.type !== 'RUN_FINISHED' || ending.outcome.type !== 'interrupt') break
    const { interrupts } = ending.outcome
    about = new Set(
      interrupts.map(({ id, reason, toolCallId }) =>
        reason === 'tool_call' ? (toolCallId ?? '') : id,
      ),
    )
  }
  return { reader, endings }
}

/** What was said in the end, as every wire shows it. */
function truthOf(events: readonly StoredEvent[]) {
  const projection = new Projection(headOf(events))
  for (const each of events) {
    if (!isVerdict(each)) projection.flush(null)
    if (projection.needsHistory(each)) projection.begin([])
    projection.see(each)
  }
  projection.flush(null)
  return projection.state.messages.map((message) => ({
    id: message.id,
    content: message.content,
    calls: message.type === 'ai' ? message.tool_calls.map(({ id }) => id) : [],
  }))
}

describe('a log of each outcome', () => {
  it.each(logs)('%s reaches a client whole, however its text was streamed', async (name) => {
    const events = eventsOf(name)
    for (const way of Object.keys(ways)) {
      const { reader, endings } = await read(events, way)
      const had = reader.messages.map((message) => ({
        id: message.id,
        content: message.content ?? '',
        calls: 'toolCalls' in message ? (message.toolCalls ?? []).map(({ id }) => id) : [],
      }))
      expect(had, way).toEqual(truthOf(events))
      expect(endings.at(-1)?.type).toBe(
        /failed|interrupted|timed_out/.test(name) ? 'RUN_ERROR' : 'RUN_FINISHED',
      )
    }
  })

  it('holds interrupts, or nothing of them was tried', async () => {
    const all = await Promise.all(logs.map((name) => read(eventsOf(name), 'not at all')))
    expect(all.filter(({ endings }) => endings.length > 1).length).toBeGreaterThan(3)
  })
})
