/**
 * Notices that files were changed.
 *
 * Files are looked at, several times a second, and not subscribed to: editors replace files instead of writing them, and
 * disks that are mounted into containers or over a network send no notice. A look at fifty files takes less than a millisecond.
 *
 * W1 A change counts when the content is another one and has been the same for two looks: half-written files are not taken.
 * W2 A file that is not there is a content of its own: one that is missing may come.
 */
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fingerprint } from '@signalbox/server'

const lookMs = 250

export class FileWatch {
  /** What each file holds, as far as it was taken in. */
  readonly #known: Map<string, string>
  /** The stamp with which a file had the content it was last found to have. */
  readonly #stamps = new Map<string, { readonly stamp: string; readonly content: string }>()

  constructor(files: ReadonlyMap<string, string>) {
    this.#known = new Map(files)
  }

  /** What these files hold now is no change any more. */
  noted(files: readonly string[]): void {
    for (const file of files) this.#known.set(file, this.#contentOf(file))
  }

  /** These count as well: what they held when they were loaded. */
  take(files: ReadonlyMap<string, string>): void {
    for (const [file, content] of files) this.#known.set(file, content)
  }

  /** From now on only these count. */
  takeOnly(files: ReadonlyMap<string, string>): void {
    this.#known.clear()
    this.#stamps.clear()
    for (const [file, content] of files) this.#known.set(file, content)
  }

  /** Waits for a change. Answers the files that changed; none if the signal was aborted. */
  async next(signal: AbortSignal): Promise<readonly string[]> {
    for (let before = ''; ;) {
      await sleep(lookMs, null, { signal }).catch(() => null)
      if (signal.aborted) return []
      const found = this.#changed()
      const now = JSON.stringify([...found])
      if (found.size > 0 && now === before) return [...found.keys()]
      before = now
    }
  }

  #changed(): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const [file, content] of this.#known) {
      const now = this.#contentOf(file)
      if (now !== content) found.set(file, now)
    }
    return found
  }

  #contentOf(file: string): string {
    const stamp = stampOf(file)
    const last = this.#stamps.get(file)
    if (last?.stamp === stamp) return last.content
    const content = fingerprint(file)
    this.#stamps.set(file, { stamp, content })
    return content
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? '' : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}
