/**
 * Deleting for users what the log keeps. A run is hidden by a note of its own; a thread by its row, and a note on its newest run
 * says who did it.
 */
import type { HideAnswer, HideRun, HideThread } from './engine.ts'
import type { Register } from './ports.ts'
import type { Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'

export interface HideDeps extends Patience {
  readonly register: Register
  readonly writer: Writer
}

/** May be repeated: the second note changes nothing. */
export async function hideRun(deps: HideDeps, request: HideRun): Promise<HideAnswer> {
  const { runId, tenantId, actor } = request
  const notes = [deps.writer.event('run.hidden', {}, { actor })]
  const result = await insist(deps, 'hide run', () =>
    deps.register.append({ runId, tenantId, notes }),
  )
  return result.code === 'ok' ? 'hidden' : 'unknown'
}

/** The note comes first: a thread that is hidden without a word is worse than a word too much. */
export async function hideThread(deps: HideDeps, request: HideThread): Promise<HideAnswer> {
  const { threadId, tenantId, lastRunId: runId, actor, expired = false } = request
  if (runId !== null) {
    const notes = [deps.writer.event('thread.hidden', {}, { actor })]
    await insist(deps, 'note', () => deps.register.append({ runId, tenantId, notes }))
  }
  const answer = await insist(deps, 'hide thread', () =>
    deps.register.hideThread({ tenantId, threadId }, expired ? { lastRunId: runId } : undefined),
  )
  if (answer === 'busy') return 'busy'
  return answer === 'ok' ? 'hidden' : 'unknown'
}
