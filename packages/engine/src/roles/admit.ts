/** Admission: runs that wait get their thread's slot, and room in their lanes. The register decides; who asks is only quick. */
import type { Register, RunRef } from '../ports.ts'
import type { Writer } from '../record/draft.ts'
import type { Recorder } from '../record/recorder.ts'
import { type EachDeps, eachOf } from './each-of.ts'

interface AdmitDeps {
  readonly recorder: Recorder
  readonly writer: Writer
}

/** Gives a queued run its thread's slot, if it is free, nobody waits before it, and its lanes have room. */
export async function admit({ recorder, writer }: AdmitDeps, run: RunRef): Promise<boolean> {
  const fact = writer.fact('run.admitted', {}, { key: 'admitted' })
  const { factCodes } = await recorder.record(run, [fact], { admit: true })
  return factCodes[0] === 'ok'
}

/** Candidates per lane: more than one, since others may take the first of them meanwhile. */
const candidatesMax = 4

/** Fills the lanes that a run stands in with those whose turn it is. */
export async function admitInLanes(
  deps: AdmitDeps & EachDeps & { readonly register: Pick<Register, 'nextInLanes'> },
  runId: string,
): Promise<void> {
  for (let more = true; more;) {
    more = false
    const items = await deps.register.nextInLanes(runId, candidatesMax)
    await eachOf(deps, { name: 'lanes', items, idOf: (next) => next.runId }, async (next) => {
      if (await admit(deps, next)) more = true
    })
  }
}
