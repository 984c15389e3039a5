/** A run whose events and text a test brings, followed as LangGraph's clients follow it. No wake ever fires. */
import type { JsonObject } from '@signalbox/core'
import type { LiveText, RunHead, StoredEvent } from '@signalbox/engine'
import type { StreamMode } from '../../src/wires/langgraph/stream/modes.ts'
import { parseFramePosition, start } from '../../src/wires/langgraph/stream/position.ts'
import { runFrames } from '../../src/wires/langgraph/stream/run-frames.ts'

export const runId = '00000000-0000-7000-8000-00000000000a'

export interface SseFrame {
  readonly id: string
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** An event of the run, without what only the register needs. */
export interface Told {
  readonly type: string
  readonly payload: JsonObject
}

export const event = (seq: number, { type, payload }: Told, run = runId): StoredEvent => ({
  runId: run,
  tenantId: 'default',
  threadId: 't',
  version: 1,
  at: 1_700_000_000_000 + seq,
  actor: 'test',
  tool: null,
  verdict: null,
  key: null,
  salt: 'salt',
  payloadHash: '',
  digest: '',
  hash: '',
  seq,
  type,
  payload,
})

export const headOf = (events: readonly StoredEvent[], status: RunHead['status']): RunHead => {
  const last = events.findLast(({ type }) => type === 'run.transitioned')
  const outcome = last?.payload['outcome'] ?? null
  return {
    runId: events[0]?.runId ?? runId,
    tenantId: 'default',
    threadId: 't',
    agent: 'writer',
    definitionHash: '',
    machine: 'run',
    machineVersion: 1,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the log says one of them
    outcome: outcome as RunHead['outcome'],
    status: outcome === null ? status : 'ended',
    stateName: 'model',
    seq: events.length,
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
  }
}

/** What happens to a run, in order: appends to the register, and text. */
export type Script = readonly (readonly StoredEvent[] | LiveText)[]

export interface Following {
  readonly modes: readonly StreamMode[]
  /** The id of the last frame that the client has. */
  readonly after?: string
  /** Brought one by one, each when everything before it was shown. */
  readonly script: Script
  /** How much of the script has happened before the client comes; of the text, the bus repeats what is in flight. */
  readonly past: number
  /** How the run is when the script is over; until then it is running. */
  readonly status?: RunHead['status']
}

const ignore = () => {}

/** The frames that the client gets, each with how much of the script had happened by then. */
export async function* follow(
  following: Following,
): AsyncGenerator<SseFrame & { readonly happened: number }, void, undefined> {
  const { script, modes } = following
  let happened = following.past
  let say: (piece: LiveText) => void = ignore
  let wake = ignore
  const stored = () => script.slice(0, happened).flatMap((each) => ('text' in each ? [] : each))
  const head = () =>
    headOf(stored(), happened < script.length ? 'running' : (following.status ?? 'running'))
  const gone = new AbortController()
  const sources = {
    read: {
      runEvents: (_: string, __: string, { after }: { readonly after: number }) =>
        Promise.resolve(stored().filter(({ seq }) => seq > after)),
      run: () => Promise.resolve(head()),
    },
    wakes: {
      on: (_: object, listener: () => void) => {
        wake = listener
        return () => {}
      },
    },
    followText: (_: string, listener: typeof say) => {
      say = listener
      repeat(script.slice(0, happened)).forEach(listener)
      return () => {}
    },
    followProgress: () => () => {},
    shown: () => {},
    log: { debug() {}, info() {}, warn() {}, error() {} },
    stopping: new AbortController().signal,
    heartbeatMs: 0,
    pollMs: 0,
    history: () => Promise.resolve([]),
    interrupts: () => Promise.resolve([{ id: 'a_1', value: { tool: 'pay' } }]),
  }
  const from = following.after === undefined ? start : parseFramePosition(following.after)
  if (!from) throw new Error(`no position: ${following.after}`)
  for await (const text of runFrames(sources, { head: head(), modes, from, gone: gone.signal })) {
    if (!text.startsWith(':')) {
      yield { ...parse(text), happened }
      continue
    }
    // A heartbeat: all that had happened was shown.
    const next = script[happened]
    happened += 1
    wake()
    if (!next) throw new Error('the script is over, but not the stream')
    if ('text' in next) say(next)
  }
}

/** The text in flight in one piece, from its beginning, as whoever writes it answers to those who come late. */
function repeat(past: Script): readonly LiveText[] {
  const pieces = past.filter((each) => 'text' in each)
  const last = pieces.at(-1)
  if (!last) return []
  const text = pieces.filter(({ attempt }) => attempt === last.attempt).map((each) => each.text)
  return [{ ...last, offset: 0, text: text.join('') }]
}

function parse(text: string): SseFrame {
  const [, name = '', id = '', data = ''] =
    /^event: (.*)\nid: (.*)\ndata: (.*)\n\n$/.exec(text) ?? []
  return { id, event: name, data: JSON.parse(data) }
}
