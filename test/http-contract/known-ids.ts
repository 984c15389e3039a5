/**
 * Ids that the server gave: requests name them by what they are called, since nobody knows them before. `known.cron_id.1` is
 * replaced when the request is sent, so that a seed makes the same requests whatever the ids are.
 */
import type { FuzzRequest } from './request.ts'

const placesMax = 4
const depthMax = 5

/** Is it a name of ids? */
export const isIdName = (name: string): boolean => /^[a-z_]*_id$/.test(name)

/** What stands for ids of this name. */
export const standIns = (name: string): readonly string[] =>
  Array.from({ length: placesMax }, (_, n) => `known.${name}.${n}`)

/** Ids by their names, the newest of each. */
export class KnownIds {
  readonly #ids = new Map<string, string[]>()

  /** Takes the ids of an answer. */
  learn(answer: unknown, depth = 0): void {
    if (typeof answer !== 'object' || answer === null || depth > depthMax) return
    for (const [name, value] of Object.entries(answer))
      if (isIdName(name) && typeof value === 'string') this.#add(name, value)
      else this.learn(value, depth + 1)
  }

  /** The request with ids in the place of what stands for them. What nobody has given an id for stays. */
  filled({ method, path, headers, body }: FuzzRequest): FuzzRequest {
    const fill = (text: string): string =>
      text.replaceAll(/known\.([a-z_]+)\.(\d)/g, (standIn, name: string, n: string) => {
        const ids = this.#ids.get(name) ?? []
        return ids[Number(n) % ids.length] ?? standIn
      })
    return {
      method,
      path: fill(path),
      headers: headers.map(([name, value]) => [name, fill(value)] as const),
      body: body && { ...body, text: fill(body.text) },
    }
  }

  #add(name: string, id: string): void {
    const ids = this.#ids.get(name) ?? []
    // What would have to be encoded may be anything that a request brought.
    if (ids.includes(id) || !/^[\w.:-]{1,100}$/.test(id)) return
    this.#ids.set(name, [id, ...ids].slice(0, placesMax))
  }
}
