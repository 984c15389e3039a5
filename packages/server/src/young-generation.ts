/**
 * How much of V8's heap is young in a process of Signalbox: less than V8 would take.
 *
 * A scavenge stops the process, for longer the more there is to move; its helpers wait for cores that databases and workers use. With V8's
 * own size, which it lets grow with the machine, some take 20 to 60 ms on two busy cores; with this one, below 10 (decision 0063).
 */
import process from 'node:process'

/** MiB of a semi-space. */
const semiSpaceMib = 4

/** The options of `node` for it. */
export const youngGeneration: readonly string[] = [`--max-semi-space-size=${semiSpaceMib}`]

const spoken = /(?:^|\s)--(?:max|min)[-_]semi[-_]space[-_]size\b/

/** The options that this process should have been started with; none if whoever started it chose a size. */
export function missingOptions(): readonly string[] {
  const said = [...process.execArgv, process.env['NODE_OPTIONS'] ?? '']
  return said.some((option) => spoken.test(option)) ? [] : youngGeneration
}
