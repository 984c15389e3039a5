/**
 * Functions that agents pin by a name: policies, guardrails, detectors. `./file.ts#export` names an export; what a
 * TypeScript configuration holds itself is named after its own id, so that every process that loads it has the same.
 */
import { fail } from '../fail.ts'

/** Things by the name they are pinned by. */
export class Given<T extends object> {
  readonly #byName = new Map<string, T>()

  get byName(): ReadonlyMap<string, T> {
    return this.#byName
  }

  /** Keeps it. Two things of one name would make a pinned name mean either. @throws ConfigError */
  keep(name: string, thing: T, field: string): void {
    const known = this.#byName.get(name)
    if (known !== undefined && known !== thing)
      fail('config_invalid', field, `another one has the id "${nameWithin(name)}" too`)
    this.#byName.set(name, thing)
  }
}

const prefix = 'config#'

/** The name of what a configuration holds itself. */
export const givenName = (id: string): string => `${prefix}${id}`

const nameWithin = (name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name
