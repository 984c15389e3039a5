/**
 * A process that dies at each append of a compaction, before it and after it (context systems §17, §19 "compaction" 4, C4). Would catch: a summary that
 * is asked for twice and kept twice, a run that waits for one for ever, a turn that is asked with a summary of a dead attempt.
 */
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, test } from 'vitest'
import { deaths } from './support/compacting.ts'
import { type Answer, expectSurvived, undisturbed } from './support/dying.ts'
import { hurry } from './support/faulty.ts'

describe.each<Answer>(['compacted', 'unchanged'])('where it ends with context.%s', (answer) => {
  test.each(deaths)('a process dies %s: another one goes on', async (_, death) => {
    const register = createMemoryRegister(systemClock)
    const before = await undisturbed(register, answer)
    const hurried = { answer, death: death(), before, hurry: () => hurry(register) }
    await expectSurvived(register, hurried)
  })
})
