/**
 * Titles that are given when nobody waits for one: of the first words of a thread, with the run that says them, and by a person. That of a
 * person stands from then on, whatever runs and models make of the thread.
 */
import { givenPaths, saidTexts } from '@signalbox/core'
import type { NewRun } from './create-run.ts'
import type { TitleAnswer, TitleThread } from './engine.ts'
import { guardedTitle } from './perform/guarded-words.ts'
import type { EventDraft, Register, StreamGuardrails } from './ports.ts'
import type { Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'

export interface TitleThreadDeps extends Patience {
  readonly register: Register
  readonly writer: Writer
}

/** The mark of a new run for the title of its thread. With `made`, the notes beside its creation hold the title of its words. */
export interface FirstTitle {
  readonly title: 'made' | 'open'
  readonly notes: readonly EventDraft[]
}

/**
 * For an agent whose threads have titles; null where this run has nothing to do with that of its thread. A run that another run started has
 * a thread that nobody lists; a rerun, an edit and a run that only sums up are no conversation.
 */
export async function firstTitle(
  {
    register,
    writer,
    guardrails,
  }: Pick<TitleThreadDeps, 'register' | 'writer'> & { readonly guardrails: StreamGuardrails },
  { definition, parent, rerun, edit, compact, tenantId, threadId, input, files }: NewRun,
): Promise<FirstTitle | null> {
  if (definition.title === undefined || parent || rerun || edit || compact) return null
  const stands = await register.threadTitle({ tenantId, threadId })
  if (stands)
    return stands.by === 'words' && !stands.isOfCompleted ? { title: 'open', notes: [] } : null
  const said = { texts: saidTexts(input), files: givenPaths(files) }
  const title = guardedTitle(guardrails, definition, said)
  const payload = { title, by: 'words', sources: { from: 1, through: 1 } } as const
  return { title: 'made', notes: [writer.event('thread.titled', payload, { verdict: 'words' })] }
}

/** The note comes first, as where a thread is hidden. The row is written also where the history of the run has no room for the note. */
export async function titleThread(
  deps: TitleThreadDeps,
  { threadId, tenantId, lastRunId: runId, actor, title }: TitleThread,
): Promise<TitleAnswer> {
  if (runId !== null) {
    const payload = { title, by: 'user' } as const
    const notes = [deps.writer.event('thread.titled', payload, { actor, verdict: 'user' })]
    await insist(deps, 'note', () => deps.register.append({ runId, tenantId, notes }))
  }
  const given = { title, by: 'user', runId } as const
  const answer = await insist(deps, 'title thread', () =>
    deps.register.giveTitle({ tenantId, threadId }, given),
  )
  return answer === 'ok' ? 'titled' : 'unknown'
}
