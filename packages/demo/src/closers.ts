import { Unmet } from './expect.ts'

/** What was opened, to be closed in the opposite order. */
export type Closers = (() => Promise<unknown>)[]

/** Closes all that is open. Goes on when a part fails, and tells of it at the end. @throws Unmet */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: string[] = []
  for (const close of closers.splice(0).toReversed())
    await close().catch((error: unknown) => failures.push(String(error)))
  if (failures.length > 0) throw new Unmet(`could not be closed: ${failures.join('; ')}`)
}
