/**
 * Who follows runs is called, whatever the bus loses. Would catch: a stream that looks into the register by itself, so that
 * a thousand idle ones cost a thousand reads; a tenant whose runs are read as another's; looks that go on for nobody.
 */
import { describe, expect, it, vi } from 'vitest'
import { RegisterTimeout } from '../src/http/register-errors.ts'
import { RunWakes } from '../src/stream/run-wakes.ts'

const nobody = (): void => {}
/** A worker of a busy machine may stand still for seconds. */
const patiently = { interval: 1, timeout: 20_000 }

type Known = readonly { readonly runId: string; readonly seq: number }[]

function scene() {
  const stored = new Map<string, number>()
  const looks: { tenantId: string; known: Known }[] = []
  const problems: string[] = []
  let tell: (ids: readonly string[]) => void = nobody
  let failure: Error | null = null
  const wakes = new RunWakes({
    bus: {
      subscribe: (_: string, listener: typeof tell) => {
        tell = listener
        return () => (tell = nobody)
      },
    },
    read: {
      runsBeyond: (tenantId, known) => {
        looks.push({ tenantId, known })
        at.look()
        if (failure) return Promise.reject(failure)
        return Promise.resolve(
          known.flatMap(({ runId, seq }) => {
            const now = stored.get(runId) ?? 0
            return now > seq ? [{ runId, seq: now }] : []
          }),
        )
      },
    },
    log: { warn: (text) => problems.push(text), error: (text) => problems.push(text) },
    lookMs: 2,
  })
  const at = {
    /** Called in the middle of each look. */
    look: nobody,
    stored,
    looks,
    problems,
    wakes,
    tell: (ids: readonly string[]) => tell(ids),
    fail: (error: Error | null) => (failure = error),
  }
  return at
}

/** Until the look after the next one is over. */
async function twoLooks({ looks }: ReturnType<typeof scene>): Promise<void> {
  const from = looks.length
  await vi.waitFor(() => expect(looks.length).toBeGreaterThan(from + 1), patiently)
}

describe('who follows a run', () => {
  it('is called by the bus, and no longer once it has gone', () => {
    const at = scene()
    const [mine, other] = [vi.fn<() => void>(), vi.fn<() => void>()]
    const stop = at.wakes.on({ tenantId: 'a', runId: 'r1' }, mine)
    at.wakes.on({ tenantId: 'a', runId: 'r2' }, other)
    at.tell(['r1', 'r3'])
    stop()
    at.tell(['r1'])
    expect([mine.mock.calls.length, other.mock.calls.length]).toEqual([1, 0])
    at.wakes.close()
  })

  it('is called for what the bus lost, once for all that is new', async () => {
    const at = scene()
    const wake = vi.fn<() => void>()
    at.wakes.on({ tenantId: 'a', runId: 'r1' }, wake)
    await twoLooks(at)
    const before = wake.mock.calls.length
    at.stored.set('r1', 7)
    await vi.waitFor(() => expect(wake).toHaveBeenCalledTimes(before + 1), patiently)
    await twoLooks(at)
    expect(wake).toHaveBeenCalledTimes(before + 1)
    at.wakes.close()
  })

  it('costs one question for all runs of a tenant, however many follow', async () => {
    const at = scene()
    for (const tenantId of ['a', 'b'])
      for (let n = 0; n < 300; n += 1)
        at.wakes.on({ tenantId, runId: `${tenantId}${n % 100}` }, () => {})
    await twoLooks(at)
    expect(at.looks.slice(0, 2).map((look) => look.tenantId)).toEqual(['a', 'b'])
    for (const { tenantId, known } of at.looks) {
      expect(known).toHaveLength(100)
      expect(known.every(({ runId }) => runId.startsWith(tenantId))).toBe(true)
    }
    at.wakes.close()
  })

  it.each([
    [new RegisterTimeout('away'), 'the runs of streams wait for the register'],
    [new TypeError('wrong'), 'the runs of streams could not be looked at'],
  ])('is called after %s is over', async (failure, said) => {
    const at = scene()
    const wake = vi.fn<() => void>()
    at.fail(failure)
    at.wakes.on({ tenantId: 'a', runId: 'r1' }, wake)
    at.stored.set('r1', 1)
    await twoLooks(at)
    expect([wake.mock.calls.length, at.problems[0]]).toEqual([0, said])
    at.fail(null)
    await vi.waitFor(() => expect(wake).toHaveBeenCalled(), patiently)
    at.wakes.close()
  })

  it('says nothing of a look that its end breaks off', async () => {
    const at = scene()
    for (const tenantId of ['a', 'b']) at.wakes.on({ tenantId, runId: `of ${tenantId}` }, nobody)
    at.fail(new Error('Cannot use a pool after calling end on the pool'))
    at.look = () => at.wakes.close()
    await vi.waitFor(() => expect(at.looks).toHaveLength(1), patiently)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([at.looks.length, at.problems]).toEqual([1, []])
  })

  it('looks for nobody once all have gone, and again for who comes', async () => {
    const at = scene()
    const stop = at.wakes.on({ tenantId: 'a', runId: 'r1' }, () => {})
    await twoLooks(at)
    stop()
    const { length } = at.looks
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(at.looks.length).toBeLessThanOrEqual(length + 1)
    at.wakes.on({ tenantId: 'a', runId: 'r1' }, () => {})
    await twoLooks(at)
    at.wakes.close()
  })
})
