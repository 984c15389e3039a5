/** Agents whose runs leave what auditors look for: an approval, a denial, a safety stop, an unknown outcome. */
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'

const write = defineTool({
  name: 'write',
  description: 'Writes a file.',
  effect: 'idempotent',
  input: z.object({ path: z.string(), text: z.string() }),
  run: ({ path }) => `wrote ${path}`,
})
const look = defineTool({
  name: 'look',
  description: 'Reads a file.',
  effect: 'read',
  input: z.object({ path: z.string() }),
  run: () => 'the tides of March',
})
const vanish = defineTool({
  name: 'vanish',
  description: 'Does not obey its timeout.',
  effect: 'once',
  timeoutMs: 50,
  input: z.object({ path: z.string() }),
  run: () => new Promise(() => {}),
})

/** What is written, and asks for an approval. */
export const args = { path: 'notes/a.txt', text: '=1+1, "quoted"' }
const once =
  (name: string, given: Record<string, string>, ending?: 'content_filter') =>
  (_: unknown, turn: number) =>
    turn === 0 ? { calls: [{ name, args: given }], ...(ending && { ending }) } : { text: 'Done.' }

const model = (name: string) => ({ provider: 'scripted' as const, model: name })

export const audited: ConfigInput = {
  server: { identity: { userHeader: 'x-user' } },
  agents: {
    asker: { model: model('write'), tools: ['write'], guardrails: { approvalTools: ['write'] } },
    denier: {
      model: model('look'),
      tools: ['look'],
      guardrails: { provider: { use: 'allowlist', deniedTools: ['look'] } },
    },
    filtered: { model: model('filtered'), tools: ['write'] },
    reader: { model: model('look'), tools: ['look'] },
    loser: { model: model('vanish'), tools: ['vanish'] },
  },
  tools: [write, look, vanish],
  scripts: {
    write: once('write', args),
    look: once('look', { path: 'notes/a.txt' }),
    vanish: once('vanish', { path: 'other.txt' }),
    filtered: once('write', args, 'content_filter'),
  },
}
