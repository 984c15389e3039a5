/**
 * The MCP servers of the demo where the published ones are not installed, as with the package alone: the two tools that the scenes call,
 * under their names. A program of its own, over its standard input and output, as MCP servers are.
 *
 * usage: node tool-server-main.js <folder whose files may be read>
 */
import { readFile } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const folder = resolve(process.argv[2] ?? '.')

const Request = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z
    .looseObject({
      protocolVersion: z.string().optional(),
      name: z.string().optional(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      _meta: z
        .looseObject({ progressToken: z.union([z.string(), z.number()]).optional() })
        .optional(),
    })
    .optional(),
})
type Params = z.infer<typeof Request>['params']

const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const annotations = { readOnlyHint: true }
const tools = [
  {
    name: 'read_text_file',
    description: 'Reads a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
    },
    annotations,
  },
  {
    name: 'trigger-long-running-operation',
    description: 'Takes as long as it is told to.',
    inputSchema: {
      type: 'object',
      properties: { duration: { type: 'number' }, steps: { type: 'number' } },
    },
    annotations,
  },
]

async function readTextFile(args: unknown): Promise<string> {
  const { path } = z.object({ path: z.string() }).parse(args)
  const file = resolve(folder, path)
  const within = relative(folder, file)
  if (within.startsWith('..') || isAbsolute(within)) throw new Error(`${path} may not be read`)
  return readFile(file, 'utf8')
}

async function takeLong(args: unknown, token: string | number | undefined): Promise<string> {
  const { duration, steps } = z
    .object({
      duration: z.number().min(0).max(600).default(10),
      steps: z.number().int().min(1).max(100).default(5),
    })
    .parse(args)
  for (let progress = 1; progress <= steps; progress += 1) {
    await sleep((duration * 1000) / steps)
    const params = { progressToken: token, progress, total: steps }
    if (token !== undefined) send({ method: 'notifications/progress', params })
  }
  return `Took ${duration} s in ${steps} steps.`
}

async function resultOf(method: string, params: Params): Promise<object> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'signalbox-demo', version: '1' },
      }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools }
    case 'tools/call':
      return callTool(params)
    default:
      throw new Error(`there is no method ${method}`)
  }
}

async function callTool(params: Params): Promise<object> {
  const args = params?.arguments ?? {}
  try {
    const text =
      params?.name === 'read_text_file'
        ? await readTextFile(args)
        : await takeLong(args, params?._meta?.progressToken)
    return { content: [{ type: 'text', text }] }
  } catch (error) {
    return { content: [{ type: 'text', text: String(error) }], isError: true }
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = Request.safeParse(parse(line))
  // A notification asks for no answer.
  if (!request.success) return
  const { id, method, params } = request.data
  resultOf(method, params).then(
    (result) => send({ id, result }),
    (error: unknown) => send({ id, error: { code: -32601, message: String(error) } }),
  )
})

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
