/** Deleting what has expired. Would catch: a thread that is deleted though somebody used it, one that fails and keeps the others. */
import { expect, it } from 'vitest'
import { expireThreads } from '../src/crons/expire.ts'

const threads = Array.from({ length: 20 }, (_, n) => ({
  threadId: `t${n}`,
  tenantId: n % 2 ? 'one' : 'two',
  lastRunId: n % 3 ? `r${n}` : null,
}))

it('deletes each as expired, in the name of its ttl, whatever becomes of the others', async () => {
  const asked: object[] = []
  const failed: string[] = []
  await expireThreads({
    upkeep: { takeExpired: async () => threads },
    commands: {
      hideThread: async (request) => {
        asked.push(request)
        if (request.threadId === 't7') throw new Error('the register is away')
        return 'hidden'
      },
    },
    failed: ({ threadId }, error) => failed.push(`${threadId} ${String(error)}`),
  })
  expect(failed).toEqual(['t7 Error: the register is away'])
  expect(asked).toHaveLength(threads.length)
  for (const thread of threads)
    expect(asked).toContainEqual({ ...thread, actor: 'ttl', expired: true })
})
