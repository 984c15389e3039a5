/** The requests of a call to the egress proxy, host by host. */
import { limits, type SandboxEgress } from '@signalbox/core'

/** Counts of one call. */
export class EgressTally {
  readonly #hosts = new Map<string, { requests: number; bytes: number; isAllowed: boolean }>()
  #requests = 0
  /** To hosts beyond those that are named. */
  #others = 0

  /** Counts a request. False: there were too many, and it is refused whatever it asks for. */
  request(host: string, isAllowed: boolean): boolean {
    this.#requests += 1
    if (this.#requests > limits.egressRequestsMax) return false
    const name = host.slice(0, limits.idCharsMax)
    const known = this.#hosts.get(name)
    if (known) {
      known.requests += 1
      known.isAllowed ||= isAllowed
    } else if (this.#hosts.size < limits.egressHostsMax - 1)
      this.#hosts.set(name, { requests: 1, bytes: 0, isAllowed })
    else this.#others += 1
    return true
  }

  bytes(host: string, count: number): void {
    const known = this.#hosts.get(host.slice(0, limits.idCharsMax))
    if (known) known.bytes += count
  }

  /** Sorted by host. What is not named is counted together, under `*`. */
  report(): readonly SandboxEgress[] {
    const named = [...this.#hosts].map(([host, { requests, bytes, isAllowed }]): SandboxEgress => {
      return { host, requests, bytes, verdict: isAllowed ? 'allowed' : 'refused' }
    })
    const others: SandboxEgress = {
      host: '*',
      requests: this.#others,
      bytes: 0,
      verdict: 'refused',
    }
    const sorted = named.toSorted((a, b) => (a.host < b.host ? -1 : 1))
    return this.#others > 0 ? [...sorted, others] : sorted
  }
}
