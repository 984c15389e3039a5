/** The machine that the stories of these tests are about, and a run of it before its first fact. */
import { initialState, type JsonObject, machines, newestOf, revive } from '../../src/index.ts'

export const machine = newestOf(machines)
export const fresh = initialState(machine)

/** Reads a cached state of it back. */
export const reviveState = (json: JsonObject) => revive(machine, json)
