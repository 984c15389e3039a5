/**
 * The health of a process: what it stands on (`ready`), and whether it must be restarted (`live`).
 *
 * H1 No check hangs: each has two seconds, and its connections are its own.
 * H2 A restart is asked for only for what a restart heals. A Postgres or a queue that is away is not: it is waited for.
 * H3 Changes are logged once, by a look every five seconds; so somebody hears of them though nobody asks.
 */
import type { Log } from '@signalbox/engine'
import type { RegisterProbe } from '@signalbox/postgres'
import { type RegisterTrouble, troubleIn } from '../http/register-errors.ts'
import type { Metrics } from '../observe/metrics.ts'
import { type HealthCheck, checkMsMax, codeOf, within } from './check.ts'
import type { Writes } from './writes.ts'

/** Whom a process asks about its health. */
export interface HealthDeps {
  readonly roles: readonly string[]
  readonly probe: RegisterProbe
  readonly writes: Writes
  /** Milliseconds since the reconciler came round; null where there is none. */
  readonly reconcilerAgeMs: () => number | null
  /** Milliseconds since the reconciler looked at all, answered or not; null where there is none. */
  readonly lookAgeMs: () => number | null
  /** Rejects if the queue does not answer. Null: this process uses none. */
  readonly queue: (() => Promise<void>) | null
  readonly bus: () => Promise<void>
  readonly metrics: Pick<Metrics, 'registerUp' | 'queueUp' | 'busUp'>
  readonly log: Log
}

/** What `/ready` says. */
export interface Readiness {
  readonly ready: boolean
  /** What the register lacks, if it is that. */
  readonly trouble: RegisterTrouble | null
  readonly checks: Readonly<Record<string, HealthCheck>>
}

export interface Health {
  ready(): Promise<Readiness>
  /** Can this process go on, as far as a restart could help it? */
  live(): Promise<boolean>
  close(): Promise<void>
}

const lookEveryMs = 5_000
/** What was found is told again to who asks within this. */
const freshMs = 500
/** The reconciler comes round every second or two, and waits for Postgres now and then. */
const reconcilerMsMax = { ready: 60_000, live: 120_000 }

/** Watches a process from now on. */
export function watchHealth(deps: HealthDeps): Health {
  const watch = new HealthWatch(deps)
  const timer = setInterval(() => void watch.ready(), lookEveryMs).unref()
  return {
    ready: () => watch.ready(),
    live: () => watch.live(),
    close: () => {
      clearInterval(timer)
      return deps.probe.close()
    },
  }
}

type Look = Awaited<ReturnType<RegisterProbe['look']>> | { readonly error: unknown }

class HealthWatch {
  readonly #deps: HealthDeps
  #last: { readonly at: number; readonly found: Promise<Readiness> } | null = null
  #said: Readonly<Record<string, HealthCheck>> = {}
  /** Since when Postgres has answered without a miss; null: it did not the last time. */
  #upSince: number | null = performance.now()

  constructor(deps: HealthDeps) {
    this.#deps = deps
  }

  ready(): Promise<Readiness> {
    const now = performance.now()
    if (this.#last && now - this.#last.at < freshMs) return this.#last.found
    const found = this.#look()
    this.#last = { at: now, found }
    return found
  }

  async live(): Promise<boolean> {
    // A question that is refused again and again is no reason: the next process would ask the same.
    const age = this.#deps.lookAgeMs() ?? 0
    if (age <= reconcilerMsMax.live) return true
    await this.ready()
    // An outage of Postgres stops the reconciler as well, and no restart ends it.
    const up = this.#upSince === null ? 0 : performance.now() - this.#upSince
    return up <= reconcilerMsMax.live
  }

  async #look(): Promise<Readiness> {
    const { metrics, queue, roles } = this.#deps
    const works = roles.includes('orchestrator') || roles.includes('worker')
    const [look, queueCheck, bus] = await Promise.all([
      within(this.#deps.probe.look()).catch((error: unknown): Look => ({ error })),
      queue && answered(queue(), works, 'The queue'),
      // Without it the API is slower, and shows no text in flight; it still takes runs, cancels and answers.
      answered(this.#deps.bus(), works, 'The wake bus'),
    ])
    const writes = 'error' in look ? null : await this.#writes(look.readOnly)
    if ('error' in look) this.#upSince = null
    else this.#upSince ??= performance.now()
    const checks = {
      ...registerChecks(look),
      ...(writes && { writes: writes.check }),
      ...this.#reconciler(),
      ...(queueCheck && { queue: queueCheck }),
      bus,
    }
    metrics.registerUp.set('error' in look ? 0 : 1)
    if (queueCheck) metrics.queueUp.set(queueCheck.ok ? 1 : 0)
    else metrics.queueUp.remove()
    metrics.busUp.set(bus.ok ? 1 : 0)
    this.#say(checks)
    return {
      ready: Object.values(checks).every(({ ok, needed }) => ok || !needed),
      trouble: 'error' in look ? 'register_unavailable' : (writes?.trouble ?? null),
      checks,
    }
  }

  async #writes(
    readOnly: boolean,
  ): Promise<{ check: HealthCheck; trouble: RegisterTrouble | null }> {
    const { writes, probe } = this.#deps
    if (readOnly)
      return ill('Postgres takes no writes: a replica, or set read-only.', 'register_read_only')
    if (writes.overdueMs > 0)
      return ill(
        `An append has waited ${Math.round(writes.overdueMs / 1000)} s.`,
        'register_unavailable',
      )
    if (writes.failure === null) return { check: { ok: true, needed: true }, trouble: null }
    try {
      await within(probe.write())
      writes.worked()
      return { check: { ok: true, needed: true }, trouble: null }
    } catch (error) {
      const trouble = troubleIn(error) ?? troubleIn(writes.failure) ?? 'register_unavailable'
      return ill(`A write has failed, and so does a probe${codeOf(error)}.`, trouble)
    }
  }

  #reconciler(): Readonly<Record<string, HealthCheck>> {
    const age = this.#deps.reconcilerAgeMs()
    if (age === null) return {}
    if (age <= reconcilerMsMax.ready) return { reconciler: { ok: true, needed: true } }
    const why = `The reconciler came round ${Math.round(age / 1000)} s ago.`
    return { reconciler: { ok: false, needed: true, why } }
  }

  /** Once on change: the first look is only heard of where something is missing. */
  #say(checks: Readonly<Record<string, HealthCheck>>): void {
    for (const [check, { ok, why }] of Object.entries(checks)) {
      const before = this.#said[check]?.ok ?? true
      if (before && !ok) this.#deps.log.warn('a health check fails', { check, why })
      if (!before && ok) this.#deps.log.info('a health check passes again', { check })
    }
    this.#said = { ...this.#said, ...checks }
  }
}

const ill = (why: string, trouble: RegisterTrouble) => ({
  check: { ok: false, needed: true, why },
  trouble,
})

async function answered(asked: Promise<void>, needed: boolean, what: string): Promise<HealthCheck> {
  try {
    await within(asked)
    return { ok: true, needed }
  } catch (error) {
    return { ok: false, needed, why: `${what} does not answer${codeOf(error)}.` }
  }
}

function registerChecks(look: Look): Readonly<Record<string, HealthCheck>> {
  if ('error' in look) {
    const why = `Postgres does not answer within ${checkMsMax / 1000} s${codeOf(look.error)}.`
    return { register: { ok: false, needed: true, why } }
  }
  const { schemaTrouble, feedIsAhead } = look
  return {
    register: { ok: true, needed: true },
    schema:
      schemaTrouble === null
        ? { ok: true, needed: true }
        : { ok: false, needed: true, why: schemaTrouble },
    // Runs do not look at the feed.
    feed: feedIsAhead
      ? {
          ok: false,
          needed: false,
          why: 'The register was restored: type signalbox migrate --restored.',
        }
      : { ok: true, needed: false },
  }
}
