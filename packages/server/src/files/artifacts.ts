/**
 * The artifacts of a run: the files under `outputs/` that it changed and that are there. Nobody declares them: what a run left there is what
 * its users get.
 */
import { clearWay, type FileChange, FileChanges, limits } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

/** Where users look for what they get. */
export const outputs = 'outputs/'

/** One artifact. */
interface OutputFile {
  readonly path: string
  /** As its last change left it; of edits that were made side by side, the last one. */
  readonly bytes: number
}

/** Artifacts as states show them; nothing of it where there are none. */
export interface ArtifactValues {
  readonly files?: { readonly [path: string]: { readonly bytes: number } }
  readonly files_more?: number
}

/** The artifacts of one run, folded from its events. */
export class Artifacts {
  readonly #files = new Map<string, number>()
  readonly #above = new Set<string>()
  #unlisted = 0

  /** Takes what an event says of files, of whatever type it is. */
  take({ payload, salt }: Pick<StoredEvent, 'payload' | 'salt'>): void {
    if (salt === '' || payload['files'] === undefined) return
    const said = FileChanges.safeParse(payload['files'])
    if (!said.success) return
    if (Array.isArray(said.data)) for (const change of said.data) this.#change(change)
    else this.#unlisted += said.data.count
  }

  clear(): void {
    this.#files.clear()
    this.#above.clear()
    this.#unlisted = 0
  }

  /** Sorted by path, at most `limits.artifactsMax`. */
  list(): readonly OutputFile[] {
    return [...this.#files]
      .map(([path, bytes]) => ({ path, bytes }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .slice(0, limits.artifactsMax)
  }

  /** Those that are not listed, and changes whose list stands in a blob: the files of the run say which. */
  get more(): number {
    return Math.max(0, this.#files.size - limits.artifactsMax) + this.#unlisted
  }

  get values(): ArtifactValues {
    const { more } = this
    const files = this.list().map(({ path, bytes }) => [path, { bytes }] as const)
    return {
      ...(files.length > 0 ? { files: Object.fromEntries(files) } : {}),
      ...(more > 0 ? { files_more: more } : {}),
    }
  }

  #change({ path, key, bytes }: FileChange): void {
    // Where the directory became a file, nothing is below it.
    if (`${path}/` === outputs && key !== null) this.#files.clear()
    if (!path.startsWith(outputs)) return
    if (key === null) this.#files.delete(path)
    else {
      // As in the files themselves: what is set later removes what stands in its way.
      if (!this.#files.has(path)) clearWay(this.#files, this.#above, path)
      this.#files.set(path, bytes)
    }
  }
}
