/**
 * Approvals for every run of an agent, in both registers: they stand by the event of a person's answer, as far as the machine took it.
 * Would catch: an answer that came too late and approves the calls of other runs all the same.
 */
import type { Register } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it } from 'vitest'
import {
  about,
  creation,
  decision,
  event,
  fact,
  newRun,
  uuid7,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const memory = createMemoryRegister({ now: () => 1_790_000_000_000 })

const subjects: readonly { readonly name: string; readonly register: Register }[] = [
  { name: 'memory', register: memory },
  {
    name: 'postgres',
    get register() {
      return bench.register
    },
  },
]

describe.each(subjects)('grants of the $name register', (subject) => {
  const payload = {
    decision: 'approve',
    scope: 'always',
    argsHash: 'h1',
    callId: 'c',
    tool: 'pay',
  }
  const asked = (tenantId: string) =>
    subject.register.grants({ tenantId, agent: 'writer' }, [{ tool: 'pay', argsHash: 'h1' }])

  /** A run in which a person answered; `ignored`: of which event the machine said that it changed nothing. */
  async function answered(ignored: number | null): Promise<string> {
    const run = newRun({ tenantId: uuid7() })
    await subject.register.append(creation(run, { agent: 'writer' }))
    const answer = fact('approval.answered', 'approval:c', { tool: 'pay', payload })
    const step = event('run.transitioned', { payload: { from: 0, through: 2 } })
    const about_ = { seq: ignored ?? 0, type: 'approval.answered', state: 'cancelling' }
    const events = ignored === null ? [step] : [step, event('event.ignored', { payload: about_ })]
    const result = await subject.register.append({
      ...about(run),
      facts: [answer],
      decision: decision(0, 2, { events }),
    })
    expect(result.decisionCode).toBe('ok')
    return run.tenantId
  }

  it('stand for an answer that was taken, or of which another event was ignored', async () => {
    expect(await asked(await answered(null))).toEqual([true])
    expect(await asked(await answered(1))).toEqual([true])
  })

  it('are none where the machine ignored the answer', async () => {
    expect(await asked(await answered(2))).toEqual([false])
  })
})
