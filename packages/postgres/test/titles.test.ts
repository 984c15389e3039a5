/**
 * Titles as SQL alone knows them. Would catch: a kind of effect that outlives its run here and not in core, and a title that shows what was
 * erased.
 */
import { EffectKind, outlivesRun } from '@signalbox/core'
import { expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { about, admission, event, newRun } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

it('kinds that outlive their run are those of core', async () => {
  const kinds = EffectKind.options.map((kind) => `('${kind}')`).join(', ')
  const rows = await ask<{ kind: string }>(
    bench.database.adminUrl,
    `select kind from (values ${kinds}) k (kind) where signalbox.outlives_run(kind)`,
  )
  expect(rows.map(({ kind }) => kind)).toEqual(EffectKind.options.filter(outlivesRun))
})

it('a title whose note is erased gives way to what is left, at last to none of the words', async () => {
  const { register } = bench
  const run = newRun()
  const { tenantId, threadId, runId } = run
  const contentKey = 'ab'.repeat(32)
  await register.ensureThread({ threadId, tenantId, metadata: {}, createdAt: 1, contentKey })
  await register.append(admission(run))
  const titles = [
    { title: 'Words', by: 'words' },
    { title: 'Model', by: 'model', effectId: `${runId}.1` },
    { title: 'Mine', by: 'user' },
  ]
  const seqs: number[] = []
  for (const payload of titles) {
    const notes = [event('thread.titled', { payload })]
    seqs.push((await register.append({ ...about(run), notes })).seq)
  }
  const title = async () => (await register.threadTitle({ tenantId, threadId }))?.title
  const erase = (seq = 0) =>
    ask(
      bench.database.adminUrl,
      `update signalbox.event set payload = null, salt = null where run_id = '${runId}' and seq = ${seq}`,
    )
  expect(await title()).toBe('Mine')
  // One that is not shown changes nothing.
  await erase(seqs[0])
  expect(await title()).toBe('Mine')
  await erase(seqs[2])
  expect(await title()).toBe('Model')
  await erase(seqs[1])
  expect(await title()).toBe('New conversation')
  expect(await register.threadTitle({ tenantId, threadId })).toMatchObject({
    by: 'words',
    runId: null,
  })
})
