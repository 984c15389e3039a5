/**
 * The tool `read_result`: long results are shown to the model as head and tail, and this is how it reads on. It answers
 * only what belongs to the thread of the run that asks: keys of other threads name nothing there. A long
 * result stands in a blob of the thread of the run that asked for the call.
 *
 * Where the conversation is pruned, results and long messages give way to a line that names a call or a message: an agent with a `context`
 * is given the tool in an edition that reads these again, too. Other agents have it as before, to the byte.
 */
import {
  type ContentPart,
  type JsonObject,
  limits,
  type ToolOutput,
  ToolSpec,
} from '@signalbox/core'
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
    version: versionOf(description),
    description,
    inputSchema,
    effect: 'read',
    queue,
    timeoutMs: 10_000,
  })

const versionOf = (text: string): string => sha256(text).slice(0, 12)

const callsDescription =
  `Reads a result that was shortened, or a result or message that was left out: ${limits.resultPageChars} characters from \`offset\` on. ` +
  'Use the key (`result`) or the id (`call`) that stands in its place, one of them.'

const callsSchema = {
  type: 'object',
  properties: {
    ...inputSchema.properties,
    call: {
      type: 'string',
      description: 'The id that stands in the place of a result or message that was left out.',
    },
  },
  required: ['offset'],
  additionalProperties: false,
}

/** The edition of `read_result` that also reads what was left out of a pruned conversation. Other tools are answered as they are. */
export const withLeftOut = (spec: ToolSpec): ToolSpec =>
  spec.name === readResultTool
    ? {
        ...spec,
        version: versionOf(callsDescription),
        description: callsDescription,
        inputSchema: callsSchema,
      }
    : spec

/** The line that ends a shortened result for an agent that may read on. */
const pointer = (place: Wanted): string =>
  `[Read on with ${readResultTool} ${JSON.stringify(place)}]`

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
      ? {
          ...part,
          preview: `${part.preview}\n${pointer({ result: part.key, offset: previewChars })}`,
        }
      : part,
  )
}

/** The tools of a process, and `read_result` among them. */
export function withReadResult(host: ToolHost, queue = 'tools'): ToolHost {
  const spec = readResultSpec(queue)
  const versions = [spec.version, withLeftOut(spec).version]
  return {
    specs: async () => [...(await host.specs()), spec],
    knows: async (name, version) =>
      name === spec.name ? versions.includes(version) : host.knows(name, version),
    call: (request, signal) =>
      request.name === spec.name ? readOn(request) : host.call(request, signal),
    close: () => host.close(),
  }
}

const offset = z.number().int().min(0)
const Args = z.union([
  z.strictObject({ result: z.string(), offset }),
  z.strictObject({ call: z.string(), offset }),
])
type Wanted = z.output<typeof Args>

async function readOn(request: ToolRequest): Promise<ToolOutcome> {
  const wanted = readArgs(request.args)
  if (!wanted)
    return failed(
      'invalid_arguments',
      'takes result, which is a key, or call, which is an id, and offset, a number from 0',
    )
  const text = await textOf(request, wanted)
  if (text === null)
    return failed('unknown_result', 'there is no such result in this thread, or it was erased')
  const from = Math.min(wanted.offset, text.length)
  const to = Math.min(from + limits.resultPageChars, text.length)
  const place = `[Characters ${from} to ${to} of ${text.length}]`
  const next = to < text.length ? `\n${pointer({ ...wanted, offset: to })}` : ''
  const page = text.slice(from, to).toWellFormed()
  return { status: 'completed', output: say(`${place}\n${page}${next}`) }
}

async function textOf({ files, said }: ToolRequest, wanted: Wanted): Promise<string | null> {
  if ('call' in wanted) return (await said?.(wanted.call)) ?? null
  const bytes = await files?.read(wanted.result)
  return bytes ? Buffer.from(bytes).toString('utf8') : null
}

const readArgs = (args: JsonObject): Wanted | null => Args.safeParse(args).data ?? null

const failed = (code: string, message: string): ToolOutcome => ({
  status: 'failed',
  error: { code, message },
})

const say = (text: string): ToolOutput => ({ content: [{ type: 'text', text }], isError: false })
