/**
 * The files that a run finds are a fold over its lineage, on the real register. Would catch: files of a run that was rolled
 * back, of what a fork has not heard, of another thread; a copy of a thread that cannot read the blobs of its origin.
 */
import { JsonObjectSchema } from '@signalbox/core'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { type FileDraft, type Register, systemClock, systemRandom } from '@signalbox/engine'
import { expect, it } from 'vitest'
import { createContent } from '../../packages/engine/src/perform/content.ts'
import { createFiles } from '../../packages/engine/src/perform/files.ts'
import {
  about,
  creation,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  uuid7,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()

type Base = { readonly runId: string; readonly seq: number }

function history(register: Register) {
  const content = createContent({ register, clock: systemClock, random: systemRandom })
  const files = createFiles({ register, content })
  const begin = async (threadId: string, base?: Base): Promise<RunIds> => {
    const run = newRun({ threadId })
    const item = creation(run, base ? { base } : {})
    const admitted = fact('run.admitted', 'admitted')
    await register.append({ ...item, admit: true, facts: [...(item.facts ?? []), admitted] })
    return run
  }
  const change = async (run: RunIds, drafts: readonly FileDraft[]): Promise<Base> => {
    const kept = await files.keep(run, drafts)
    if (kept.code !== 'ok' || !kept.files) throw new Error(kept.code)
    const done = fact('tool.completed', uuid7(), { payload: JsonObjectSchema.parse(kept) })
    await register.append({ ...about(run), facts: [done] })
    return { runId: run.runId, seq: (await register.head(run.runId))?.seq ?? 0 }
  }
  const end = async (run: RunIds, outcome: 'completed' | 'rolled_back' = 'completed') => {
    const facts = (await register.head(run.runId))?.facts ?? 0
    const decided = await register.append({
      ...about(run),
      decision: finalDecision(0, facts, { outcome }),
    })
    expect(decided).toMatchObject({ decisionCode: 'ok' })
  }
  const seen = async (run: RunIds): Promise<Record<string, string | null>> => {
    const { tree, read } = files.of(run)
    const entries = [...(await tree())].map(async ([path, { key }]) => {
      const bytes = await read(key)
      return [path, bytes && Buffer.from(bytes).toString()] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }
  return { begin, change, end, seen }
}

const draft = (path: string, text: string | null): FileDraft => ({
  path,
  bytes: text === null ? null : Buffer.from(text),
  executable: false,
})

it.each(['memory', 'postgres'])(
  'rollback, fork and copy find the files of their lineage: %s',
  async (kind) => {
    const register = kind === 'memory' ? createMemoryRegister(systemClock) : bench.register
    const { begin, change, end, seen } = history(register)
    const threadId = uuid7()
    const first = await begin(threadId)
    const early = await change(first, [draft('a', '1'), draft('b', '1')])
    await change(first, [draft('a', '2')])
    await end(first)
    const gone = await begin(threadId)
    await change(gone, [draft('a', null), draft('b', 'gone'), draft('c', 'gone')])
    expect(await seen(gone)).toEqual({ b: 'gone', c: 'gone' })
    await end(gone, 'rolled_back')
    const next = await begin(threadId)
    expect(await seen(next)).toEqual({ a: '2', b: '1' })
    // More than an event lists: the blob that lists them is the same to a reader.
    const many = Array.from({ length: 100 }, (_, n) => draft(`many/${n}`, `${n}`))
    await change(next, many)
    expect(Object.keys(await seen(next))).toHaveLength(102)
    await end(next)
    const fork = await begin(threadId, early)
    expect(await seen(fork)).toEqual({ a: '1', b: '1' })
    await change(fork, [draft('b', 'fork')])

    const copyId = uuid7()
    const origin = { runId: next.runId, seq: (await register.head(next.runId))?.seq ?? 0 }
    const contentKey = systemRandom.hex(32)
    const place = { threadId: copyId, tenantId: first.tenantId, metadata: {}, createdAt: 1 }
    await register.ensureThread({ ...place, contentKey, origin })
    const copy = await begin(copyId)
    expect(await seen(copy)).toMatchObject({ a: '2', b: '1', 'many/99': '99' })
    await change(copy, [draft('a', 'copy')])
    expect(await seen(copy)).toMatchObject({ a: 'copy', b: '1' })
    expect(await seen(fork)).toEqual({ a: '1', b: 'fork' })
    // Nobody else's thread, whatever it is called.
    expect(await seen({ ...first, threadId: uuid7() })).toEqual({})
  },
)
