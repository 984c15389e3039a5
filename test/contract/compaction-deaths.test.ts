/**
 * A process that dies at each append of a compaction, over Postgres (context systems §17, §19 "compaction" 4). Would catch: what the memory register
 * forgives, as `packages/engine/test/compaction-deaths.test.ts` does for the engine.
 */
import { describe, test } from 'vitest'
import { deaths } from '../../packages/engine/test/support/compacting.ts'
import {
  type Answer,
  expectSurvived,
  undisturbed,
} from '../../packages/engine/test/support/dying.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()

describe.each<Answer>(['compacted', 'unchanged'])('where it ends with context.%s', (answer) => {
  test.each(deaths)('a process dies %s: another one goes on', async (_, death) => {
    const { register } = bench
    const before = await undisturbed(register, answer)
    await expectSurvived(register, { answer, death: death(), before })
  })
})
