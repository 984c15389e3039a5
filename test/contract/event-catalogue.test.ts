/**
 * Every type of event is shown wherever events are shown, by its example in the catalogue. Would catch: a type that the command line, the demo
 * or the timeline of a failed test leaves out, a search that does not find what it says it looks into, an explanation that cannot read a type, a
 * verdict that a wire swallows.
 */
import {
  currentVersion,
  eventClass,
  type EventType,
  eventTypes,
  exampleOf,
  explainRun,
  isNotable,
  type JsonObject,
  JsonObjectSchema,
  linePartsOf,
  searchedPaths,
  sentenceOf,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDetail } from '../../packages/demo/src/event-detail.ts'
import { eventLine } from '../../packages/cli/src/output/event-line.ts'
import { createTerminal } from '../../packages/cli/src/output/terminal.ts'
import { timelineOf } from '../../packages/testing/src/timeline.ts'
import { compile } from '../../packages/postgres/src/query.ts'
import { holdsText } from '../../packages/postgres/src/read/searched-text.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'
import { noticeOf } from '../../packages/server/src/wires/ag-ui/stream/notices.ts'
import { Projection } from '../../packages/server/src/wires/ai-sdk/projection.ts'
import { ChatMessages } from '../../packages/server/src/wires/langgraph/messages.ts'

const run = { runId: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77', threadId: 't-1' }

/** An event as the register gives it. */
const stored = (type: EventType, seq: number): StoredEvent => ({
  ...run,
  seq,
  tenantId: 'acme',
  type,
  version: currentVersion(type),
  at: 1_795_212_000_000,
  actor: 'orchestrator',
  tool: null,
  verdict: null,
  key: null,
  payload: JsonObjectSchema.parse(JSON.parse(JSON.stringify(exampleOf(type)))),
  salt: 'ab',
  payloadHash: '',
  digest: '',
  hash: '',
})
/** The same as the API shows it. */
const shown = (type: EventType) => {
  const { runId: run_id, threadId: thread_id, at, ...event } = stored(type, 2)
  return { ...event, run_id, thread_id, at: new Date(at).toISOString() }
}

const said = (type: EventType): readonly string[] =>
  linePartsOf(stored(type, 2), false).filter((part) => part !== '')

describe('people are told of every type', () => {
  it.each(eventTypes)('%s', (type) => {
    const line = eventLine(createTerminal({ json: false }), shown(type), {
      verbose: false,
      withRun: false,
    })
    expect(line).toContain(type)
    for (const part of said(type)) expect(line).toContain(part.replaceAll('\n', ' ').slice(0, 60))
    const [first = ''] = said(type)
    expect(eventDetail({ ...shown(type), hash: '' })).toContain(first.slice(0, 40))
  })

  it.each(eventTypes.filter(isNotable))('%s, where a test has failed', (type) => {
    const timeline = timelineOf([stored('run.created', 1), stored(type, 2)])
    expect(timeline.split('\n')).toHaveLength(2)
  })
})

describe('an explanation reads every type', () => {
  it.each(eventTypes)('%s', (type) => {
    const log = [stored('run.created', 1), stored('run.transitioned', 2), stored(type, 3)]
    expect(explainRun(run, log).unreadable).toEqual([])
  })
})

describe('a search', () => {
  const bench = useRegister()
  let database: pg.Client
  beforeAll(async () => {
    database = new pg.Client(bench.database.engineUrl)
    await database.connect()
  })
  afterAll(() => database.end())

  const finds = async (text: string, type: EventType, payload: JsonObject): Promise<boolean> => {
    const asked = sql<{ found: boolean }>`select ${holdsText(text)} as found
      from (select ${type}::text as type, ${JSON.stringify(payload)}::jsonb as payload, null::text as tool) e`
    const { sql: written, parameters } = compile(asked)
    const { rows } = await database.query<{ found: boolean }>(written, [...parameters])
    return rows[0]?.found === true
  }

  it.each(eventTypes)('looks into the texts of %s', async (type) => {
    const { payload } = stored(type, 2)
    const texts = textsIn(payload)
    const found: boolean[] = []
    for (const text of texts) found.push(await finds(text, type, payload))
    const isSearched = Object.hasOwn(searchedPaths, type)
    expect(found.includes(true)).toBe(isSearched)
  })
})

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

describe('the wires tell', () => {
  const spoken = eventTypes.flatMap((type) => {
    const sentence = sentenceOf(stored(type, 2))
    return sentence ? [[type, sentence] as const] : []
  })

  it.each(spoken)('LangGraph and Agent Protocol the sentence of %s', (type, sentence) => {
    const messages = new ChatMessages()
    messages.take(stored(type, 2))
    expect(messages.list()).toMatchObject([{ type: 'ai', content: sentence.text }])
  })

  it.each(spoken)('the AI SDK the sentence of %s', (type, sentence) => {
    const projection = new Projection()
    projection.see(stored('run.transitioned', 1))
    projection.see(stored(type, 2))
    expect(JSON.stringify(projection.flush())).toContain(JSON.stringify(sentence.text).slice(1, -1))
  })

  it.each(eventTypes)('AG-UI of %s, if users are to hear of it', (type) => {
    const notice = noticeOf(stored(type, 2))
    expect(notice?.type ?? null).toBe(isNotable(type) ? 'CUSTOM' : null)
    expect(JSON.stringify(notice).includes(`"signalbox.${type}"`)).toBe(isNotable(type))
  })

  it('nobody of a fact or a note as of a verdict', () => {
    expect(eventTypes.filter(isNotable).map(eventClass)).toEqual(
      eventTypes.filter(isNotable).map(() => 'decision'),
    )
  })
})
