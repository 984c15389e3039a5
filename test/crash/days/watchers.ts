/**
 * Clients that follow runs by the log as a stream, and go on after a break where they were. Each must see every event once,
 * in order, to the end; a server that cannot serve them says so, and when to come again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { create, type Part } from '../sending.ts'
import type { StoredRun } from '../tables.ts'

/** A comment comes at least every five seconds; a loaded machine may take its time. */
const silenceMsMax = 20_000
const pauseMs = 250
const runsMax = 10

/** What one client has seen. */
interface Watcher {
  readonly runId: string
  readonly seqs: number[]
  readonly complaints: string[]
  breaks: number
  ended: boolean
}

export class Watchers {
  readonly #count: number
  readonly #all: Watcher[] = []
  readonly #over: Promise<void>[] = []
  #url: () => string | null = () => null

  constructor(count: number) {
    this.#count = count
  }

  /** `url`: where the API is; null while it is down. */
  follow(url: () => string | null): void {
    this.#url = url
  }

  /** Runs to follow, and those who follow them until they end. */
  readonly part: Part = async (setting) => {
    const names = Array.from({ length: Math.min(runsMax, this.#count) }, (_, n) => `watched-${n}`)
    const turns = [['look'], ['linger'], ['put']]
    const runs = await Promise.all(
      names.map((name) => create(setting, { name, turns, delayMs: 200 })),
    )
    for (let n = 0; n < this.#count; n++) {
      const runId = runs[n % runs.length] ?? ''
      const watcher: Watcher = { runId, seqs: [], complaints: [], breaks: 0, ended: false }
      this.#all.push(watcher)
      this.#over.push(this.#watch(watcher))
    }
    // Longer than any outage: what is not over then has a complaint.
    await Promise.race([Promise.all(this.#over), sleep(180_000, undefined, { ref: false })])
  }

  violations(runs: readonly StoredRun[]): readonly string[] {
    return this.#all.flatMap(({ runId, seqs, complaints, ended }) => {
      const log = runs.find(({ head }) => head.runId === runId)?.log ?? []
      const expected = log.map(({ seq }) => seq).join()
      return [
        ...complaints,
        ...(ended ? [] : [`a stream of ${runId} never ended`]),
        ...(ended && seqs.join() !== expected
          ? [`a stream of ${runId} showed ${seqs.join()}; its log has ${expected}`]
          : []),
      ]
    })
  }

  async #watch(watcher: Watcher): Promise<void> {
    while (!watcher.ended) {
      await this.#connect(watcher).catch(() => (watcher.breaks += 1))
      await sleep(pauseMs)
    }
  }

  async #connect(watcher: Watcher): Promise<void> {
    const url = this.#url()
    if (url === null) return
    const { runId, seqs } = watcher
    const last = seqs.at(-1)
    const gone = new AbortController()
    const response = await fetch(`${url}/runs/${runId}/stream?stream_mode=signalbox`, {
      headers: last === undefined ? {} : { 'last-event-id': String(last) },
      signal: gone.signal,
    })
    if (response.status !== 200) return refused(watcher, response)
    const silence = setTimeout(() => {
      watcher.complaints.push(`a stream of ${runId} was silent for ${silenceMsMax} ms`)
      gone.abort()
    }, silenceMsMax)
    try {
      const decoder = new TextDecoder()
      let rest = ''
      for await (const piece of response.body ?? []) {
        silence.refresh()
        const frames = (rest + decoder.decode(piece, { stream: true })).split('\n\n')
        rest = frames.pop() ?? ''
        for (const frame of frames) see(watcher, frame)
      }
    } finally {
      clearTimeout(silence)
    }
  }
}

/** It may not be there for a while: then it says so, and when to try again. */
async function refused(watcher: Watcher, response: Response): Promise<void> {
  const text = await response.text()
  if (response.status === 503 && response.headers.has('retry-after')) return
  watcher.complaints.push(`a stream was refused with ${response.status} ${text}`)
}

function see(watcher: Watcher, frame: string): void {
  const id = /^id: (\d+)$/m.exec(frame)?.[1]
  if (id !== undefined) watcher.seqs.push(Number(id))
  if (/^event: end$/m.test(frame)) watcher.ended = true
}
