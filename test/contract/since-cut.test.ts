/**
 * The conversation from its newest summary on, on both registers. Would catch: a run that is left out although the summary does not stand for it, a
 * fork from before the summary that reads behind it, a summary that was rolled back and still cuts.
 */
import { createMemoryRegister } from '@signalbox/testing/memory'
import { type Register, systemClock } from '@signalbox/engine'
import { expect, it } from 'vitest'
import {
  about,
  creation,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  uuid7,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()

interface Moment {
  readonly runId: string
  readonly seq: number
}

function history(register: Register) {
  const here = async ({ runId }: RunIds): Promise<Moment> => ({
    runId,
    seq: (await register.head(runId))?.seq ?? 0,
  })
  return {
    begin: async (threadId: string, base?: Moment): Promise<RunIds> => {
      const run = newRun({ threadId })
      const item = creation(run, base ? { base } : {})
      const admitted = fact('run.admitted', 'admitted')
      await register.append({ ...item, admit: true, facts: [...(item.facts ?? []), admitted] })
      return run
    },
    here,
    compact: async (run: RunIds, keep: Moment): Promise<Moment> => {
      const payload = {
        effectId: `${run.runId}.9`,
        attempt: 1,
        through: { ...keep, seq: keep.seq - 1 },
        keep: { ...keep },
        summary: [{ type: 'text', text: 'It was said.' }],
        appendix: '',
        sources: { from: { ...keep, seq: 1 }, through: { ...keep }, events: 1, digest: '00' },
        tokens: { before: 2, after: 1, summary: 1 },
        how: 'shared',
        provider: 'scripted',
        model: 'm',
        usage: {},
        durationMs: 1,
      }
      await register.append({
        ...about(run),
        facts: [fact('context.compacted', uuid7(), { payload })],
      })
      return here(run)
    },
    end: async (run: RunIds, outcome: 'completed' | 'rolled_back' = 'completed'): Promise<void> => {
      const facts = (await register.head(run.runId))?.facts ?? 0
      const decided = await register.append({
        ...about(run),
        decision: finalDecision(0, facts, { outcome }),
      })
      expect(decided).toMatchObject({ decisionCode: 'ok' })
    },
    /** The runs whose events are read, in order. */
    seen: async ({ threadId, runId }: RunIds): Promise<readonly string[]> => {
      const events = await register.sinceCut(threadId, runId)
      return [...new Set(events.map((event) => event.runId))]
    },
  }
}

it.each(['memory', 'postgres'])('begins with the run whose turns are kept: %s', async (kind) => {
  const register = kind === 'memory' ? createMemoryRegister(systemClock) : bench.register
  const { begin, here, compact, end, seen } = history(register)
  const threadId = uuid7()
  const first = await begin(threadId)
  const early = await here(first)
  await end(first)
  const second = await begin(threadId)
  const kept = await here(second)
  await end(second)
  const third = await begin(threadId)
  expect(await seen(third)).toEqual([first.runId, second.runId, third.runId])
  await compact(third, kept)
  expect(await seen(third)).toEqual([second.runId, third.runId])
  await end(third)

  // A later run, and one whose own summary was rolled back.
  const gone = await begin(threadId)
  await compact(gone, await here(gone))
  expect(await seen(gone)).toEqual([gone.runId])
  await end(gone, 'rolled_back')
  const fourth = await begin(threadId)
  expect(await seen(fourth)).toEqual([second.runId, third.runId, fourth.runId])
  await end(fourth)

  // From before the summary, nothing is left out.
  const fork = await begin(threadId, early)
  expect(await seen(fork)).toEqual([first.runId, fork.runId])
})
