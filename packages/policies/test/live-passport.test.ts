/** The promise of the kill switch, as a property: over any history of a source, with time in the test's hand. */
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { LivePassport } from '../src/living/live-passport.ts'
import { type Look, passportIn } from '../src/living/look.ts'

const never = new AbortController().signal
const open = (look: Look, now: () => number, everyMs = 2000) =>
  new LivePassport({ look, everyMs, now, closing: never, onTurn: () => {} })

afterEach(() => void vi.useRealTimers())

/** What happens to the source and to time; then somebody asks. */
interface Step {
  readonly ms: number
  readonly status: 'active' | 'revoked'
  readonly how: 'up' | 'down' | 'unchanged'
}

const step = fc.record<Step>({
  ms: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.constantFrom(1999, 2000, 5000, 5001)),
  status: fc.constantFrom('active', 'revoked'),
  how: fc.constantFrom('up', 'down', 'unchanged'),
})

/** Plays the steps. Says when the source was pressed, or an answer given that it had not given within 5 s before. */
async function faultOf(steps: readonly Step[]): Promise<string | null> {
  let now = 0
  let lastLook = -Infinity
  let fault: string | null = null
  /** Since when the source has had a status; the newest last. */
  const history: { readonly status: string; readonly at: number }[] = []
  let current: Step = { ms: 0, status: 'active', how: 'up' }
  let told = ''
  const passport = open(
    async () => {
      if (now - lastLook < 2000) fault = `${now}: asked too often`
      lastLook = now
      if (current.how === 'down') throw new Error('down')
      if (current.how === 'unchanged' && told === current.status) return 'unchanged'
      told = current.status
      return passportIn(JSON.stringify({ status: current.status }))
    },
    () => now,
  )
  for (current of steps) {
    now += current.ms
    if (history.at(-1)?.status !== current.status) history.push({ status: current.status, at: now })
    const found = await passport.read(never).catch(() => null)
    if (found?.how !== 'read') continue
    const status = found.passport['status']
    const ended = history.findLast((_, index) => history[index - 1]?.status === status)
    const isCurrent = status === current.status
    if (!isCurrent && (ended === undefined || now - ended.at > 5000)) fault = `${now}: too old`
  }
  return fault
}

it('nobody reads a status that ended more than 5 seconds ago, and the source is never pressed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      expect(await faultOf(steps)).toBeNull()
    }),
    { numRuns: 1000 },
  )
})

it('nobody waits more than 2 seconds for a source that is silent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const passport = open(
    () => new Promise(() => {}),
    () => 0,
  )
  await Promise.all([
    expect(passport.read(never)).rejects.toThrow('No answer within 2000 ms'),
    vi.advanceTimersByTimeAsync(2000),
  ])
})

it('one look at a time, also where it takes longer than the pause between two', async () => {
  let now = 0
  let looks = 0
  const first = Promise.withResolvers<ReturnType<typeof passportIn>>()
  const passport = open(
    () => {
      looks += 1
      return first.promise
    },
    () => now,
  )
  const reads = [passport.read(never)]
  now += 2000
  reads.push(passport.read(never))
  first.resolve(passportIn('{}'))
  await Promise.all(reads)
  expect(looks).toBe(1)
})

it('what is confirmed as unchanged is as young as the confirmation', async () => {
  let now = 0
  const answers = [passportIn('{}'), 'unchanged' as const]
  const passport = open(
    async () => answers.shift() ?? Promise.reject(new Error('down')),
    () => now,
  )
  await passport.read(never)
  now += 4000
  await passport.read(never)
  now += 5000
  expect((await passport.read(never)).how).toBe('read')
  now += 1
  await expect(passport.read(never)).rejects.toThrow('cannot be read: down')
})

it('an answer that comes after its time is ignored', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let now = 0
  const late = Promise.withResolvers<ReturnType<typeof passportIn>>()
  const passport = open(
    () => late.promise,
    () => now,
  )
  await Promise.all([
    expect(passport.read(never)).rejects.toThrow('No answer'),
    vi.advanceTimersByTimeAsync(2000),
  ])
  late.resolve(passportIn('{"status":"active"}'))
  now += 1
  await expect(passport.read(never)).rejects.toThrow('No answer')
})
