/** Forks, rollbacks, reruns and copies around a summary, in memory: `support/summary-lineage.ts`. */
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { summaryLineage } from './support/summary-lineage.ts'

summaryLineage(() => createMemoryRegister(systemClock))
