/** Forks, rollbacks, reruns and copies around a summary, in Postgres: what the engine's own test holds of the memory register. */
import { summaryLineage } from '../../packages/engine/test/support/summary-lineage.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()

summaryLineage(() => bench.register)
