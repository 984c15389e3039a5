/** Imports a module of the user's own, in bounded time: one that waits for ever at its top level must not end a start in silence. */
import { setTimeout } from 'node:timers/promises'
import { addressOf } from './edition.ts'

/** Milliseconds that the import of a module may take, with all that it imports. */
const importMsMax = 30_000

/** The namespace of the module. Rejects with what the module threw, or when it has not been loaded in time. */
export async function importWithin(file: string, msMax = importMsMax): Promise<unknown> {
  const done = new AbortController()
  const { signal } = done
  const late = setTimeout(msMax, undefined, { signal }).then(() => {
    throw new Error(
      `it was not loaded after ${msMax / 1_000} s. Something at its top level, or in a module that it imports, waits: move that into a function.`,
    )
  })
  late.catch(() => {})
  try {
    const loading: Promise<unknown> = import(addressOf(file))
    return await Promise.race([loading, late])
  } finally {
    done.abort()
  }
}
