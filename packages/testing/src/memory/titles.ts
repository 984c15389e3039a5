/** Titles of threads in memory: what `note_title` and `give_title` do in SQL. */
import { noteSchemas } from '@signalbox/core'
import type { GivenTitle, Register, StoredEvent, ThreadRef, ThreadTitle } from '@signalbox/engine'
import { type Tables, threadKey } from './tables.ts'

/** The run of a title has completed: then no other run titles the thread. */
const isOfCompleted = ({ runs }: Tables, { runId }: GivenTitle): boolean =>
  runId !== null && runs.get(runId)?.outcome === 'completed'

/** Takes a note into the title of its thread, if it is about that. */
export function noteTitle(tables: Tables, event: StoredEvent): void {
  const { type, runId } = event
  const key = threadKey(event)
  if (!tables.threads.has(key)) return
  const stands = tables.titles.get(key) ?? null
  const said =
    type === 'thread.titled' ? noteSchemas[type].safeParse(event.payload).data : undefined
  if (said) {
    const { title, by, effectId } = said
    const isFirst = stands === null
    const isTurn = stands !== null && effectId !== undefined && mayTitle(tables, stands, runId)
    if (by === 'user' || isFirst || isTurn) tables.titles.set(key, { title, by, runId })
  }
  if (type === 'title.unchanged' && stands && mayTitle(tables, stands, runId))
    tables.titles.set(key, { ...stands, runId })
}

/** May a run title a thread that is called so? While the title is made of words, and is its own or of a run that did not complete. */
const mayTitle = (tables: Tables, stands: GivenTitle, runId: string): boolean =>
  stands.by === 'words' && (stands.runId === runId || !isOfCompleted(tables, stands))

/** The methods of the register for titles. */
export const titlesOf = (tables: Tables): Pick<Register, 'threadTitle' | 'giveTitle'> => ({
  threadTitle: async (ref): Promise<ThreadTitle | null> => {
    const stands = tables.titles.get(threadKey(ref))
    if (!stands || !isShown(tables, ref)) return null
    return { ...stands, isOfCompleted: isOfCompleted(tables, stands) }
  },
  giveTitle: async (ref, given) => {
    if (!isShown(tables, ref)) return 'no_thread'
    const key = threadKey(ref)
    if (given.by === 'user' || !tables.titles.has(key)) tables.titles.set(key, given)
    return 'ok'
  },
})

const isShown = ({ threads, hidden }: Tables, ref: ThreadRef): boolean =>
  threads.has(threadKey(ref)) && !hidden.has(threadKey(ref))
