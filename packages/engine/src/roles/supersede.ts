/**
 * Runs that make way for a newer one of their thread. The newer one stands in the register before the older are asked to
 * end, so whoever crashes in between, the reconciler finds what is left to ask.
 */
import type { Register, RunHead, Superseded, WakeBus } from '../ports.ts'
import type { Writer } from '../record/draft.ts'
import type { Recorder } from '../record/recorder.ts'
import { type EachDeps, eachOf } from './each-of.ts'

interface SupersedeDeps {
  readonly recorder: Recorder
  readonly writer: Writer
  readonly wakeBus: Pick<WakeBus, 'publish'>
}

const batchMax = 500

/** Asks the runs of one thread that are to make way to end. */
export async function supersede(
  deps: SupersedeDeps & EachDeps & { readonly register: Pick<Register, 'superseded'> },
  thread: Pick<RunHead, 'tenantId' | 'threadId'>,
): Promise<void> {
  const items = await deps.register.superseded(batchMax, thread)
  await eachOf(deps, { name: 'superseded', items, idOf: ({ runId }) => runId }, (one) =>
    makeWay(deps, one),
  )
}

/** Asks one run to end. Asked twice, it is asked once. */
export async function makeWay(
  { recorder, writer, wakeBus }: SupersedeDeps,
  { runId, tenantId, action, by }: Superseded,
): Promise<void> {
  const payload = { action, reason: 'superseded', by } as const
  const fact = writer.fact('cancel.requested', payload, { key: 'cancel' })
  const result = await recorder.record({ runId, tenantId }, [fact])
  if (result.factCodes[0] === 'ok') wakeBus.publish('cancel', [runId])
}
