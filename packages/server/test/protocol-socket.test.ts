/**
 * The parts of a WebSocket of Agent Protocol v2, on sockets and tapes made of nothing. Would catch: a subscription that runs
 * ahead of another, text that a late one is not told, a client that is not read and fills the memory, a peer that is dead.
 */
import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Outlet } from '../src/wires/agent-protocol/socket/outlet.ts'
import { keepPulse } from '../src/wires/agent-protocol/socket/pulse.ts'
import { SharedTape } from '../src/wires/agent-protocol/socket/shared-tape.ts'
import { slots, writeTapePlace } from '../src/wires/agent-protocol/tape/position.ts'
import type { Channel } from '../src/wires/agent-protocol/tape/tape-event.ts'
import type { TapeFrame } from '../src/wires/agent-protocol/tape/thread-tape.ts'

afterEach(() => vi.useRealTimers())

/** An event of the first run: its place, and what it is called. */
const frame = (seq: number, slot: number, id: string, channel: Channel = 'values'): TapeFrame => ({
  kind: 'event',
  position: writeTapePlace({ run: 1, seq, slot }),
  at: 0,
  event: { id, method: channel, channel, namespace: [], data: () => ({}) },
})
const live = (seq: number, n: number): TapeFrame =>
  frame(seq, slots.live + n, `text ${n}`, 'messages')

const nothing = () => {}
const settled = () => new Promise((resolve) => setTimeout(resolve, 5))

const socketOf = (isPaused = false) =>
  Object.assign(new EventEmitter(), {
    isPaused,
    readyState: 1 as const,
    OPEN: 1 as const,
    ping: vi.fn<() => void>(),
    terminate: vi.fn<() => void>(),
  })

/** A tape that is written by hand: `say` to who follows from now on, `log` for who begins. */
function handTape(options: { readonly room?: () => Promise<boolean> } = {}) {
  const log: TapeFrame[] = []
  const followers: ((frame: TapeFrame) => void)[] = []
  const sent: string[] = []
  let broken = 0
  const tape = new SharedTape({
    frames: async function* (_, gone) {
      const queue = [...log]
      let wake = nothing
      const heard = (each: TapeFrame) => {
        queue.push(each)
        wake()
      }
      followers.push(heard)
      gone.addEventListener('abort', () => wake())
      while (!gone.aborted) {
        const next = queue.shift()
        if (next) yield next
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    send: async (message) => {
      sent.push(String(Object(message).event_id))
      return options.room?.() ?? true
    },
    broken: () => (broken += 1),
  })
  const say = (each: TapeFrame, isLogged = true) => {
    if (isLogged) log.push(each)
    for (const follower of followers) follower(each)
  }
  return { tape, say, sent, broken: () => broken }
}

describe('the tape of a socket', () => {
  it('sends once what several want, in one order', async () => {
    const { tape, say, sent } = handTape()
    tape.watch({ channels: ['values'] })
    tape.watch({ channels: ['values', 'lifecycle'] })
    say(frame(1, slots.step, 'a'))
    say(frame(1, slots.step + 1, 'b', 'lifecycle'))
    say(frame(2, slots.step, 'c'))
    await settled()
    expect(sent).toEqual(['a', 'b', 'c'])
    tape.close()
  })

  it('shows who comes later what was before, and what is being written, before it goes on', async () => {
    const { tape, say, sent } = handTape()
    tape.watch({ channels: ['lifecycle'] })
    say(frame(1, slots.step, 'a'))
    say(frame(1, slots.step + 1, 'b', 'lifecycle'))
    for (const n of [0, 1]) say(live(1, n), false)
    await settled()
    tape.watch({ channels: ['values', 'messages'] })
    say(live(1, 2), false)
    say(frame(2, slots.step, 'end', 'messages'))
    await settled()
    expect(sent).toEqual(['b', 'a', 'text 0', 'text 1', 'text 2', 'end'])
    tape.close()
  })

  it('sends nothing more to who has left, or to nobody', async () => {
    const { tape, say, sent } = handTape()
    const asked = { channels: ['values'] }
    tape.watch(asked)
    say(frame(1, slots.step, 'a'))
    await settled()
    tape.leave(asked)
    say(frame(2, slots.step, 'b'))
    await settled()
    tape.close()
    say(frame(3, slots.step, 'c'))
    await settled()
    expect(sent).toEqual(['a'])
  })

  it('takes nothing further while the client takes nothing', async () => {
    let makeRoom = nothing
    const room = () => new Promise<boolean>((resolve) => (makeRoom = () => resolve(true)))
    const { tape, say, sent } = handTape({ room })
    tape.watch({ channels: ['values'] })
    for (const id of ['a', 'b', 'c']) say(frame(sent.length + 1, slots.step, id))
    await settled()
    expect(sent).toEqual(['a'])
    makeRoom()
    await settled()
    expect(sent).toEqual(['a', 'b'])
    tape.close()
  })

  it('breaks with the tape, and where it cannot tell a late one what is being written', async () => {
    const broken = handTape()
    broken.tape.watch({ channels: ['values'] })
    broken.say({ kind: 'broken' })
    await settled()
    expect(broken.broken()).toBe(1)
    const middle = handTape()
    const since = writeTapePlace({ run: 1, seq: 1, slot: slots.live + 3 })
    middle.say(frame(1, slots.step, 'a'))
    middle.tape.watch({ channels: ['messages'], since })
    middle.tape.watch({ channels: ['messages'] })
    middle.say(frame(2, slots.step, 'end', 'messages'))
    await settled()
    expect(middle.broken()).toBeGreaterThan(0)
  })
})

describe('a client', () => {
  it('that takes nothing is cut after a while', async () => {
    vi.useFakeTimers()
    const socket = { send: vi.fn<() => void>(), terminate: vi.fn<() => void>() }
    void new Outlet(socket, 1_000).send({})
    vi.advanceTimersByTime(999)
    expect(socket.terminate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(socket.terminate).toHaveBeenCalledOnce()
  })

  it('that answers no ping is cut, but not one that does, nor one that is not read from', () => {
    vi.useFakeTimers()
    const [dead, alive, paused] = [socketOf(), socketOf(), socketOf(true)]
    alive.ping.mockImplementation(() => alive.emit('pong'))
    const all = [dead, alive, paused]
    for (const socket of all) keepPulse(socket, 100)
    vi.advanceTimersByTime(250)
    expect(all.map(({ terminate }) => terminate.mock.calls.length)).toEqual([1, 0, 0])
    alive.emit('close')
    vi.advanceTimersByTime(1_000)
    expect(alive.ping).toHaveBeenCalledTimes(2)
  })
})
