/** Processes and wanted runs that are kept in mind. More than this is not a deployment but a flood. */
const peersMax = 1000
const wantsPerPeerMax = 10_000

interface Peer {
  aliveUntil: number
  /** Until when, by run. */
  readonly wants: Map<string, number>
}

/** The other processes on the bus and the runs whose live text they want. What is not repeated expires. */
export class Peers {
  readonly #peers = new Map<string, Peer>()
  readonly #ttlMs: number
  readonly #now: () => number

  constructor(ttlMs: number, now: () => number) {
    this.#ttlMs = ttlMs
    this.#now = now
  }

  /** Is there anybody to talk to? */
  get isEmpty(): boolean {
    return this.#peers.size === 0
  }

  /** Answers whether the process was unknown. */
  seen(id: string): boolean {
    const known = this.#peers.get(id)
    if (known !== undefined) {
      known.aliveUntil = this.#now() + this.#ttlMs
      return false
    }
    if (this.#peers.size >= peersMax) return false
    this.#peers.set(id, { aliveUntil: this.#now() + this.#ttlMs, wants: new Map() })
    return true
  }

  gone(id: string): void {
    this.#peers.delete(id)
  }

  wants(id: string, runId: string): void {
    const wants = this.#peers.get(id)?.wants
    if (wants === undefined || (wants.size >= wantsPerPeerMax && !wants.has(runId))) return
    wants.set(runId, this.#now() + this.#ttlMs)
  }

  drops(id: string, runId: string): void {
    this.#peers.get(id)?.wants.delete(runId)
  }

  anyWants(runId: string): boolean {
    for (const { wants } of this.#peers.values()) if (wants.has(runId)) return true
    return false
  }

  /** Forgets who has been silent. Not called while nothing can be heard. */
  expire(): void {
    const now = this.#now()
    for (const [id, peer] of this.#peers) {
      if (peer.aliveUntil <= now) this.#peers.delete(id)
      for (const [runId, until] of peer.wants) if (until <= now) peer.wants.delete(runId)
    }
  }
}
