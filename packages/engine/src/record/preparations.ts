/**
 * Preparations: can this process evaluate and ask the policies of a definition? A module that is missing, throws or hangs is
 * a condition of this process, tried again with back-off; nobody waits for it but the runs that need it.
 */
import type { AgentDefinition } from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { messageOf } from '../errors.ts'
import type { Clock } from '../ports.ts'
import { settlesWithin } from './patience.ts'

export interface Preparations {
  /**
   * Null: the policies are ready. Otherwise why not. Waits a second for the first attempt; a longer one goes on in the
   * background, and ends after half a minute.
   */
  lackOf(hash: string, definition: AgentDefinition): Promise<string | null>
  /** Are the policies of a definition ready, as far as is known without asking? */
  isReady(hash: string, definition: AgentDefinition): boolean
}

interface Preparation {
  ready: boolean
  lack: string
  failures: number
  /** By the monotonic clock. */
  againAt: number
  attempt: Promise<void> | null
}

const patienceMs = 1_000
const attemptMs = 30_000
const firstPauseMs = 500
const longestPauseMs = 30_000

const needsNone = ({ guardrails }: AgentDefinition): boolean => guardrails.policies.length === 0

export function createPreparations(deps: {
  readonly clock: Clock
  readonly cached: number
  /** Loads what the policies of a definition need; rejects with what is missing. */
  readonly prepare: (definition: AgentDefinition) => Promise<void>
}): Preparations {
  const { clock, prepare } = deps
  const known = new LRUCache<string, Preparation>({ max: deps.cached })

  const attempt = async (one: Preparation, definition: AgentDefinition): Promise<void> => {
    try {
      const late = `its policies were not ready after ${attemptMs / 1000} s`
      const loading = Promise.resolve(definition).then(prepare)
      if (!(await settlesWithin(clock, attemptMs, loading))) throw new Error(late)
      one.ready = true
    } catch (error) {
      one.lack = messageOf(error)
      one.failures += 1
      const pauseMs = firstPauseMs * 2 ** Math.min(one.failures - 1, 10)
      one.againAt = clock.monotonic() + Math.min(longestPauseMs, pauseMs)
    } finally {
      one.attempt = null
    }
  }

  return {
    isReady: (hash, definition) => needsNone(definition) || known.get(hash)?.ready === true,
    async lackOf(hash, definition) {
      if (needsNone(definition)) return null
      const one = known.get(hash) ?? {
        ready: false,
        lack: 'its policies are being loaded',
        failures: 0,
        againAt: 0,
        attempt: null,
      }
      known.set(hash, one)
      if (one.ready) return null
      const isDue = one.attempt === null && one.againAt <= clock.monotonic()
      if (isDue) one.attempt = attempt(one, definition)
      if (one.attempt && (isDue || one.failures === 0))
        await settlesWithin(clock, patienceMs, one.attempt)
      return one.ready ? null : one.lack
    },
  }
}
