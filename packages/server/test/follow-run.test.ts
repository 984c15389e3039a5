/**
 * Following a run when the bus is silent: deterministic, over a register in memory. Would catch: a stream that needs the bus,
 * or hangs after an outage, and text of a message that is shown before the events that precede it.
 */
import type { LiveText, RunHead, StoredEvent, ToolProgress } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { RegisterTimeout } from '../src/http/register-errors.ts'
import { type Frame, followRun } from '../src/stream/follow-run.ts'
import { RunWakes } from '../src/stream/run-wakes.ts'

const runId = '00000000-0000-7000-8000-000000000001'

const blank = {
  runId,
  tenantId: 'default',
  threadId: 't',
  version: 1,
  at: 0,
  actor: 'test',
  tool: null,
  verdict: null,
  key: null,
  salt: '',
  payloadHash: '',
  digest: '',
  hash: '',
}

const event = (seq: number, type: string, payload: StoredEvent['payload'] = {}): StoredEvent => ({
  ...blank,
  seq,
  type,
  payload,
})

const completed = (seq: number, messageId: string): StoredEvent =>
  event(seq, 'model.completed', { turn: { message: { id: messageId } } })

const young: RunHead = {
  runId,
  tenantId: 'default',
  threadId: 't',
  agent: 'a',
  definitionHash: '',
  machine: 'run',
  machineVersion: 1,
  status: 'running',
  stateName: 'model',
  outcome: null,
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
}

const ignore = () => {}

/** A run whose events and text the test brings. The bus says nothing; the register is looked at after `lookMs`. */
function silentRun(lookMs: number) {
  const stored: StoredEvent[] = []
  let listener: (piece: LiveText) => void = ignore
  let noted: (progress: ToolProgress) => void = ignore
  let outcome: RunHead['outcome'] = null
  let open = 0
  let outages = 0
  const answer = <T>(found: T): Promise<T> => {
    outages -= 1
    return outages < 0 ? Promise.resolve(found) : Promise.reject(new RegisterTimeout('away'))
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const stopping = new AbortController()
  const gone = new AbortController()
  const watch = () => {
    open += 1
    return () => (open -= 1)
  }
  const wakes = new RunWakes({
    bus: { subscribe: () => () => {} },
    read: {
      runsBeyond: (_, [known]) =>
        answer(known && stored.length > known.seq ? [{ runId, seq: stored.length }] : []),
    },
    log,
    lookMs,
  })
  const frames = followRun(
    {
      read: {
        runEvents: (_, __, { after, limit }) =>
          answer(stored.filter(({ seq }) => seq > after).slice(0, limit)),
        run: () => answer({ ...young, seq: stored.length, outcome }),
      },
      wakes: {
        on: (run, wake) => {
          const [closed, stop] = [watch(), wakes.on(run, wake)]
          return () => {
            closed()
            stop()
          }
        },
      },
      followText: (_, listen) => {
        listener = listen
        return watch()
      },
      followProgress: (_, listen) => {
        noted = listen
        return watch()
      },
      shown: () => {},
      log,
      stopping: stopping.signal,
      heartbeatMs: 30,
      pollMs: 5,
    },
    { tenantId: 'default', runId, after: 0, gone: gone.signal },
  )
  return {
    frames,
    stopping,
    gone,
    open: () => open,
    append: (...events: readonly StoredEvent[]) => stored.push(...events),
    end: () => (outcome = 'completed'),
    /** The next so many questions to the register fail. */
    fail: (questions: number) => (outages = questions),
    say: (messageId: string, offset: number, text: string, attempt = 1) =>
      listener({ messageId, attempt, offset, text }),
    note: (callId: string, note: string, attempt = 1) => noted({ callId, attempt, note }),
  }
}

/** The next frame that is no heartbeat. */
async function next(frames: AsyncGenerator<Frame, void, undefined>): Promise<Frame> {
  for (;;) {
    const { value, done } = await frames.next()
    if (done === true) throw new Error('it ended')
    if (value.kind !== 'heartbeat') return value
  }
}

const shape = (frame: Frame): string => {
  if (frame.kind === 'event') return `event ${frame.event.seq}`
  if (frame.kind === 'progress') return `note ${frame.progress.callId} ${frame.progress.note}`
  return frame.kind === 'text' ? `text ${frame.piece.messageId} ${frame.piece.text}` : frame.kind
}

const never = 3_600_000

describe('following without wakes', () => {
  it('reads what precedes a message before it shows the text of it', async () => {
    const run = silentRun(never)
    run.append(event(1, 'run.created'))
    const seen = [shape(await next(run.frames))]
    run.append(completed(2, 'm1'), event(3, 'tool.completed'))
    run.say('m2', 0, 'Hello')
    for (let n = 0; n < 3; n++) seen.push(shape(await next(run.frames)))
    expect(seen).toEqual(['event 1', 'event 2', 'event 3', 'text m2 Hello'])
    run.gone.abort()
    await run.frames.next()
    expect(run.open()).toBe(0)
  })

  it('shows what came of a message right before the event that completes it, and drops what comes later', async () => {
    const run = silentRun(never)
    run.append(event(1, 'run.created'))
    await next(run.frames)
    run.say('m1', 0, 'Hel')
    expect(shape(await next(run.frames))).toBe('text m1 Hel')
    run.append(event(2, 'effect.started'), completed(3, 'm1'))
    run.say('m1', 3, 'lo')
    run.say('m2', 0, 'Wor')
    const seen: string[] = []
    for (let n = 0; n < 4; n++) seen.push(shape(await next(run.frames)))
    expect(seen).toEqual(['event 2', 'text m1 lo', 'event 3', 'text m2 Wor'])
    run.say('m1', 5, ' there')
    run.say('m2', 3, 'ld')
    expect(shape(await next(run.frames))).toBe('text m2 ld')
    run.gone.abort()
    await run.frames.next()
  })

  it('shows of the notes that waited the latest of each call, after the events that precede them', async () => {
    const run = silentRun(never)
    run.append(event(1, 'run.created'))
    const seen = [shape(await next(run.frames))]
    run.append(event(2, 'effect.started'))
    for (const note of ['1 of 2', '2 of 2']) {
      run.note('a', note)
      run.note('b', note)
    }
    for (let n = 0; n < 3; n++) seen.push(shape(await next(run.frames)))
    expect(seen).toEqual(['event 1', 'event 2', 'note a 2 of 2', 'note b 2 of 2'])
    run.gone.abort()
    await run.frames.next()
    expect(run.open()).toBe(0)
  })

  it('drops notes of an attempt that is over, but not of the next one', async () => {
    const run = silentRun(never)
    run.append(event(1, 'run.created'))
    await next(run.frames)
    run.append(event(2, 'tool.unknown', { callId: 'a', attempt: 1 }))
    run.note('a', 'late')
    run.note('b', 'begins')
    const seen = [shape(await next(run.frames)), shape(await next(run.frames))]
    run.note('a', 'later')
    run.note('a', 'again', 2)
    run.note('a', 'latest')
    seen.push(shape(await next(run.frames)))
    expect(seen).toEqual(['event 2', 'note b begins', 'note a again'])
    run.gone.abort()
    await run.frames.next()
  })

  it.each([0, 1, 2, 5])(
    'finds events and the end by looking, %i questions unanswered',
    async (n) => {
      const run = silentRun(5)
      run.fail(n)
      run.append(event(1, 'run.created'))
      expect(shape(await next(run.frames))).toBe('event 1')
      run.fail(n)
      run.append(event(2, 'run.transitioned', { outcome: 'completed' }), event(3, 'loop.warned'))
      run.end()
      const seen = [await next(run.frames), await next(run.frames), await next(run.frames)]
      expect(seen.map(shape)).toEqual(['event 2', 'event 3', 'end'])
      expect((await run.frames.next()).done).toBe(true)
      expect(run.open()).toBe(0)
    },
  )

  it('sends heartbeats while nothing happens, and says when the process stops', async () => {
    const run = silentRun(5)
    expect((await run.frames.next()).value).toEqual({ kind: 'heartbeat' })
    run.stopping.abort()
    expect(shape(await next(run.frames))).toBe('stopping')
    expect((await run.frames.next()).done).toBe(true)
  })

  it('gives up a client that leaves a megabyte of text unread', async () => {
    const run = silentRun(never)
    run.append(event(1, 'run.created'))
    await next(run.frames)
    for (let n = 0; n <= 1024; n++) run.say('m1', n * 1024, 'x'.repeat(1024))
    expect(shape(await next(run.frames))).toBe('overrun')
    expect((await run.frames.next()).done).toBe(true)
    expect(run.open()).toBe(0)
  })
})
