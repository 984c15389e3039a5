/**
 * Measures the write path on a database that is already migrated: a fact and the decision made of it in one item, 400
 * bytes of payload. `single` is one run after the other on one connection; `eight` is eight at a time with batches of
 * one; `batched` is what the register does under load. Prints JSON, in appends
 * per second.
 *
 * Run: node packages/postgres/bench/append.ts <engine url> [seconds per figure]
 */
import type { Register } from '@signalbox/engine'
import { createRegister } from '../src/register/register.ts'
import { about, admission, decision, fact, newRun, type RunIds } from '../test/support/drafts.ts'

const [engineUrl, seconds = '5'] = process.argv.slice(2)
if (engineUrl === undefined) throw new Error('usage: append.ts <engine url> [seconds]')

const payload = { text: 'x'.repeat(380) }

/** Keeps `writers` runs busy and answers the appends per second. */
async function measure(register: Register, writers: number): Promise<number> {
  const until = performance.now() + Number(seconds) * 1000
  let appends = 0
  const write = async (): Promise<void> => {
    let run: RunIds = newRun()
    let seq = 3
    await register.append(admission(run))
    while (performance.now() < until) {
      if (seq > 600) {
        run = newRun()
        seq = 3
        await register.append(admission(run))
      }
      const result = await register.append({
        ...about(run),
        facts: [fact('tool.completed', undefined, { payload, tool: 'write' })],
        decision: decision(seq === 3 ? 2 : seq - 1, seq + 1),
      })
      if (result.decisionCode !== 'ok') throw new Error(`unexpected: ${JSON.stringify(result)}`)
      seq = result.seq
      appends += 1
    }
  }
  const begin = performance.now()
  await Promise.all(Array.from({ length: writers }, write))
  return appends / ((performance.now() - begin) / 1000)
}

const cases = [
  { name: 'single', writers: 1, batch: { maxInFlight: 1, maxItems: 1 } },
  { name: 'eight', writers: 8, batch: { maxInFlight: 8, maxItems: 1 } },
  { name: 'batched', writers: 256, batch: { maxInFlight: 4 } },
]
const figures: Record<string, number> = {}
for (const { name, writers, batch } of cases) {
  const register = createRegister({ engineUrl, batch })
  await measure(register, writers)
  figures[name] = Math.round(await measure(register, writers))
  await register.close()
}
console.log(JSON.stringify(figures, null, 2))
