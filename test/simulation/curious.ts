/**
 * Somebody curious: in some seeds the runs of the client are repeated once they have ended, with their own plan, with that of
 * another, and once more after that. He repeats each request until it is answered, also in his next life.
 */
import type { MemoryRegister } from '@signalbox/testing/memory'
import { simulatedAgent } from './agents.ts'
import { caller, type Office, planSeed, requester } from './people.ts'
import type { Incarnation } from './process.ts'
import { seeded } from './seeded.ts'

/** How many seeds have one. */
const curious = 0.06

/** The key of each rerun, that of the run it repeats, and whether it plays the plan of another. */
const wishes = [
  { key: 'again-0', of: 'key-0', other: false },
  { key: 'again-1', of: 'key-1', other: true },
  { key: 'again-2', of: 'again-0', other: false },
  { key: 'again-3', of: 'key-2', other: false },
] as const

export const isCurious = (seed: number): boolean => seeded(seed * 53 + 17)() < curious

/** Repeats runs, one after the other, each when what it repeats has ended. */
export async function repeating(
  seed: number,
  life: Incarnation,
  { engine, register }: Office,
): Promise<void> {
  for (const { key, of, other } of wishes)
    while (runOf(register, key) === null) {
      await life.clock.sleep(150)
      const runId = runOf(register, of)
      if (runId === null || register.tables.runs.get(runId)?.status !== 'ended') continue
      await engine.commands
        .rerun({
          ...caller,
          runId,
          threadId: key,
          definition: other ? simulatedAgent('tell', planSeed(seed, 2)) : null,
          metadata: {},
          user: requester,
          alias: { key, bodyHash: `body-${key}` },
        })
        .catch(() => null)
    }
}

const runOf = ({ tables }: MemoryRegister, key: string): string | null =>
  tables.aliases.get(`${caller.tenantId}\u0000${key}`)?.runId ?? null

/** Have all been asked for? */
export const isSatisfied = (register: MemoryRegister): boolean =>
  wishes.every(({ key }) => runOf(register, key) !== null)

/** Does a run repeat another? */
export const isRerun = ({ metadata }: { readonly metadata: object }): boolean =>
  'rerun_of' in metadata
