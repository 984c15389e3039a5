/**
 * The tool `read_result`: long results are shown to the model as head and tail, and this is how it reads on. It answers
 * only what belongs to the thread of the run that asks: keys of other threads name nothing there. A long
 * result stands in a blob of the thread of the run that asked for the call.
 */
import { type ContentPart, limits, type ToolOutput, ToolSpec } from '@signalbox/core'
import { z } from 'zod'
import type { EffectRow, ToolHost, ToolOutcome, ToolRequest } from '../ports.ts'
import { sha256 } from '../record/draft.ts'
import type { Views } from '../record/view.ts'
import { type Content, previewChars } from './content.ts'

/** The name the model calls it by. */
export const readResultTool = 'read_result'

const inputSchema = {
  type: 'object',
  properties: {
    result: { type: 'string', description: 'The key that stands in the shortened result.' },
    offset: { type: 'integer', minimum: 0, description: 'The first character to read, from 0.' },
  },
  required: ['result', 'offset'],
  additionalProperties: false,
}

const description =
  `Reads on in a result that was shortened: ${limits.resultPageChars} characters from \`offset\` on. ` +
  'Use the key that stands in the shortened result.'

/** The spec of `read_result`: it only reads, wherever it runs. */
const readResultSpec = (queue: string): ToolSpec =>
  ToolSpec.parse({
    name: readResultTool,
    version: sha256(description).slice(0, 12),
    description,
    inputSchema,
    effect: 'read',
    queue,
    timeoutMs: 10_000,
  })

/** The line that ends a shortened result for an agent that may read on. */
const pointer = (key: string, offset: number): string =>
  `[Read on with ${readResultTool} ${JSON.stringify({ result: key, offset })}]`

/** A long result goes to a blob; the agent is told how to read on, if it can. */
export async function keepResult(
  { content, views }: { readonly content: Content; readonly views: Pick<Views, 'definition'> },
  row: Pick<EffectRow, 'tenantId' | 'threadId' | 'definitionHash'>,
  parts: readonly ContentPart[],
): Promise<ContentPart[]> {
  const moved = await content.spill(row, parts, { chars: limits.resultCharsMax })
  const { tools } = await views.definition(row.definitionHash)
  if (!tools.some(({ name }) => name === readResultTool)) return moved
  return moved.map((part) =>
    part.type === 'blob'
      ? { ...part, preview: `${part.preview}\n${pointer(part.key, previewChars)}` }
      : part,
  )
}

/** The tools of a process, and `read_result` among them. */
export function withReadResult(host: ToolHost, queue = 'tools'): ToolHost {
  const spec = readResultSpec(queue)
  return {
    specs: async () => [...(await host.specs()), spec],
    knows: async (name, version) =>
      name === spec.name ? version === spec.version : host.knows(name, version),
    call: (request, signal) =>
      request.name === spec.name ? readOn(request) : host.call(request, signal),
    close: () => host.close(),
  }
}

const Args = z.object({ result: z.string(), offset: z.number().int().min(0) })

async function readOn({ args, files }: ToolRequest): Promise<ToolOutcome> {
  const wanted = Args.safeParse(args).data
  if (!wanted) return failed('invalid_arguments', 'result is a key, offset a number from 0')
  const bytes = await files?.read(wanted.result)
  if (!bytes)
    return failed('unknown_result', 'there is no such result in this thread, or it was erased')
  const text = Buffer.from(bytes).toString('utf8')
  const from = Math.min(wanted.offset, text.length)
  const to = Math.min(from + limits.resultPageChars, text.length)
  const place = `[Characters ${from} to ${to} of ${text.length}]`
  const next = to < text.length ? `\n${pointer(wanted.result, to)}` : ''
  const page = text.slice(from, to).toWellFormed()
  return { status: 'completed', output: say(`${place}\n${page}${next}`) }
}

const failed = (code: string, message: string): ToolOutcome => ({
  status: 'failed',
  error: { code, message },
})

const say = (text: string): ToolOutput => ({ content: [{ type: 'text', text }], isError: false })
