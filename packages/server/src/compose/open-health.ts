/** The health of a process, over what it was composed of. */
import type { Engine, Log, Register } from '@signalbox/engine'
import { createRegisterProbe } from '@signalbox/postgres'
import { checkMsMax } from '../health/check.ts'
import { type Health, watchHealth } from '../health/health.ts'
import { Writes } from '../health/writes.ts'
import { telling } from '../http/patience.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Closers } from './closers.ts'
import type { QueueTransport } from './transport.ts'

/** An engine that says when its reconciler last came round, and last looked; null where it has none. */
type HealthyEngine = Engine & {
  readonly health?: () => {
    readonly reconcilerAgeMs: number | null
    readonly lookAgeMs: number | null
  }
}

/** Stands in front of the register, and knows how the process is once its engine runs. */
export class Wellbeing {
  readonly #writes = new Writes()

  /** The register that this process works with: its trouble is noted, and told to callers who wait. */
  watch(register: Register): Register {
    return telling(this.#writes.watch(register))
  }

  async open(
    parts: {
      readonly roles: readonly string[]
      readonly engineUrl: string
      readonly engine: HealthyEngine
      readonly asked: QueueTransport['asked']
      readonly metrics: Metrics
      readonly log: Log
    },
    closers: Closers,
  ): Promise<Health> {
    const { engine, engineUrl, asked, ...rest } = parts
    const probe = await createRegisterProbe({ engineUrl, timeoutMs: checkMsMax })
    const health = watchHealth({
      ...rest,
      ...asked,
      probe,
      writes: this.#writes,
      reconcilerAgeMs: () => engine.health?.().reconcilerAgeMs ?? null,
      lookAgeMs: () => engine.health?.().lookAgeMs ?? null,
    })
    closers.add('health', () => health.close())
    return health
  }
}
