/**
 * An effect may be of a machine and a definition that this build knows, and yet be performed by events that it does not: a build
 * that only raises the version of an event pins its runs to the same machine. That is found out before the claim. A claimed call
 * that is not made is unknown, and a claim that comes to nothing is made again with each lease (D8).
 */
import { NewerError } from '@signalbox/core'

/** Reads what an effect is to be performed by. Why that is not this build's to do; null if it can read all of it. */
export async function newerIn(read: () => Promise<unknown>): Promise<string | null> {
  try {
    await read()
    return null
  } catch (error) {
    if (error instanceof NewerError) return error.message
    throw error
  }
}
