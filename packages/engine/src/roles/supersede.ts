/**
 * Runs that make way for a newer one of their thread. The newer one stands in the register before the older are asked to
 * end, so whoever crashes in between, the reconciler finds what is left to ask.
 */
import type { Register, RunHead, WakeBus } from '../ports.ts'
import type { Writer } from '../record/draft.ts'
import type { Recorder } from '../record/recorder.ts'

interface SupersedeDeps {
  readonly register: Register
  readonly recorder: Recorder
  readonly writer: Writer
  readonly wakeBus: Pick<WakeBus, 'publish'>
}

const batchMax = 500

/** Asks whoever is to make way to end. Of all threads, or of one. Asked twice, a run is asked once. */
export async function supersede(
  { register, recorder, writer, wakeBus }: SupersedeDeps,
  thread?: Pick<RunHead, 'tenantId' | 'threadId'>,
): Promise<void> {
  const found = await register.superseded(batchMax, thread)
  const asked = await Promise.all(
    found.map(async ({ runId, tenantId, action, by }) => {
      const payload = { action, reason: 'superseded', by } as const
      const fact = writer.fact('cancel.requested', payload, { key: 'cancel' })
      const result = await recorder.record({ runId, tenantId }, [fact])
      return result.factCodes[0] === 'ok' ? [runId] : []
    }),
  )
  const told = asked.flat()
  if (told.length > 0) wakeBus.publish('cancel', told)
}
