/**
 * The files that calls of one turn change beside each other, so that the model reads where one of them met changes that it did not know of. Told
 * only where one of the two is a run that another one started: it works for long, on files as they were when it began.
 *
 * C1 The result of a run that was started says what its changes met, as far as that was known when they were made to fit (`filesSeen`). Here
 *    stands what came between that and its event.
 * C2 Made of events alone: whether an edit fits stands in the contents, so the words say what becomes of one that does not.
 */
import type { Fact } from '../event/fact.ts'
import { limits } from '../limits.ts'
import type { FileChange, FileChanges } from '../workspace/file-change.ts'
import { escaped } from '../text/inert.ts'

/** The event that changed a file last. */
interface Changed {
  /** As trees name the state that it left. */
  readonly state: string
  readonly seq: number
  readonly isChild: boolean
}

export class TurnChanges {
  readonly #files = new Map<string, Changed>()
  /** The last event whose list of files stands elsewhere. */
  #unlisted: Changed | null = null

  clear(): void {
    this.#files.clear()
    this.#unlisted = null
  }

  /** Takes a fact of a run that settles a call. Answers what its result is to say of other changes; null for nothing. */
  take(fact: Fact, run: string): string | null {
    if (fact.type !== 'tool.completed' && fact.type !== 'child.ended') return null
    const { files } = fact.payload
    if (files === undefined) return null
    const isChild = fact.type === 'child.ended'
    const known = isChild ? (fact.payload.filesSeen ?? 0) : 0
    const changed = { state: `${run}:${fact.seq}`, seq: fact.seq, isChild }
    const isMet = (before: Changed | null | undefined): boolean =>
      before ? (isChild ? before.seq > known : before.isChild) : false
    const met = this.#metBy(files, isMet)
    this.#note(files, changed)
    return met && remarkOn(met)
  }

  /** The changes that met others: null for none, an empty list where nobody knows which. */
  #metBy(
    files: FileChanges,
    isMet: (before: Changed | null | undefined) => boolean,
  ): readonly FileChange[] | null {
    if (!Array.isArray(files))
      return isMet(this.#unlisted) || [...this.#files.values()].some(isMet) ? [] : null
    const met = files.filter(({ path, edit }) => {
      const before = this.#files.get(path)
      return isMet(before) && edit?.since !== before?.state
    })
    return met.length > 0 || isMet(this.#unlisted) ? met : null
  }

  #note(files: FileChanges, changed: Changed): void {
    if (!Array.isArray(files)) this.#unlisted = changed
    else for (const { path } of files) this.#files.set(path, changed)
  }
}

function remarkOn(met: readonly FileChange[]): string {
  const paths = met.slice(0, limits.childFilesToldMax).map(({ path }) => inert(path))
  const more = met.length > paths.length ? [`${met.length - paths.length} more`] : []
  const which =
    met.length === 0
      ? 'may have changed the same files'
      : `changed the same files: ${[...paths, ...more].join(', ')}`
  return `[Another call of this turn ${which}. Edits of this call were made again in what the other one left. Where an edit does not fit, or the file was written or deleted, it is as this call left it. Read them before you go on.]`
}

/** A path on one line. */
const inert = (text: string): string => escaped(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '))
