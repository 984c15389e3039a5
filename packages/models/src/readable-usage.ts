/**
 * A fetch whose streams count tokens in a way that the packages can read. They refuse a chunk whose count has another shape than
 * they know (a text, a list, a number beyond all bounds), and with it the whole answer: a turn must not depend on how somebody counts.
 *
 * R1 A line whose count is well-formed, or that counts nothing, passes byte by byte.
 * R2 Of a count that is not, only whole numbers that can be true are left; what is missing is estimated by whoever charges it.
 */
import { limits } from '@signalbox/core'
import { tokenCount } from './observer/usage.ts'
import type { Wire } from './observer/wires.ts'
import { type Fields, fields } from './read.ts'

/** The names of a count on a wire. `required`: the packages refuse a count without them. */
interface Names {
  /** In every line that counts, or that must. */
  readonly mark: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Objects that hold more counts. */
  readonly inner: Readonly<Record<string, readonly string[]>>
}

const names: Readonly<Record<Exclude<Wire, 'converse'>, Names>> = {
  chat: {
    mark: 'usage',
    required: [],
    optional: ['prompt_tokens', 'completion_tokens', 'total_tokens'],
    inner: {
      prompt_tokens_details: ['cached_tokens', 'cache_write_tokens'],
      completion_tokens_details: ['reasoning_tokens'],
    },
  },
  responses: {
    mark: 'usage',
    required: ['input_tokens', 'output_tokens'],
    optional: [],
    inner: {
      input_tokens_details: ['cached_tokens', 'cache_write_tokens'],
      output_tokens_details: ['reasoning_tokens'],
    },
  },
  messages: {
    mark: 'message_',
    required: ['input_tokens', 'output_tokens'],
    optional: ['cache_read_input_tokens', 'cache_creation_input_tokens'],
    inner: {},
  },
  gemini: {
    mark: 'usageMetadata',
    required: [],
    optional: [
      'promptTokenCount',
      'candidatesTokenCount',
      'totalTokenCount',
      'thoughtsTokenCount',
      'cachedContentTokenCount',
    ],
    inner: {},
  },
}

/** `fetch` with such streams. Converse is AWS's own, in frames with check sums, and is left alone. */
export function withReadableUsage(
  fetch: typeof globalThis.fetch,
  wire: Wire,
): typeof globalThis.fetch {
  if (wire === 'converse') return fetch
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body || !response.ok) return response
    return new Response(
      response.body.pipeThrough(byLine(names[wire].mark, (line) => readable(wire, line))),
      {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      },
    )
  }
}

const [newLine, carriageReturn] = [0x0a, 0x0d]

/** Passes whole lines on, each as `change` leaves it; the rest of a stream that closes, as it is. */
function byLine(
  mark: string,
  change: (line: Buffer) => Uint8Array,
): TransformStream<Uint8Array, Uint8Array> {
  let open: Uint8Array[] = []
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = Math.max(chunk.lastIndexOf(newLine), chunk.lastIndexOf(carriageReturn)) + 1
      if (end > 0) {
        const lines = Buffer.concat([...open, chunk.subarray(0, end)])
        controller.enqueue(lines.includes(mark) ? eachLine(lines, change) : lines)
        open = []
      }
      if (end < chunk.length) open.push(chunk.subarray(end))
    },
    flush(controller) {
      for (const chunk of open) controller.enqueue(chunk)
    },
  })
}

function eachLine(lines: Buffer, change: (line: Buffer) => Uint8Array): Buffer {
  const changed: Uint8Array[] = []
  let from = 0
  for (const [at, byte] of lines.entries()) {
    if (byte !== newLine && byte !== carriageReturn) continue
    changed.push(change(lines.subarray(from, at)), lines.subarray(at, at + 1))
    from = at + 1
  }
  return Buffer.concat(changed)
}

const dataLine = /^data: ?/

function readable(wire: Exclude<Wire, 'converse'>, line: Buffer): Uint8Array {
  if (!line.includes(names[wire].mark)) return line
  const text = line.toString('utf8')
  const head = dataLine.exec(text)?.[0]
  if (head === undefined) return line
  const chunk = objectIn(text.slice(head.length))
  const repaired = chunk && repair(wire, chunk)
  return repaired ? Buffer.from(`${head}${JSON.stringify(repaired)}`) : line
}

function objectIn(json: string): Fields | undefined {
  try {
    return fields(JSON.parse(json))
  } catch {
    return undefined
  }
}

/** The chunk with a count that can be read, null if nothing is wrong with it. */
function repair(wire: Exclude<Wire, 'converse'>, chunk: Fields): Fields | null {
  switch (wire) {
    case 'chat':
      return within(chunk, 'usage', wire)
    case 'gemini':
      return within(chunk, 'usageMetadata', wire)
    case 'responses':
      return inside(chunk, 'response', wire)
    case 'messages':
      if (chunk['type'] === 'message_start') return inside(chunk, 'message', wire)
      return chunk['type'] === 'message_delta' ? within(chunk, 'usage', wire) : null
  }
}

function inside(chunk: Fields, name: string, wire: Exclude<Wire, 'converse'>): Fields | null {
  const inner = fields(chunk[name])
  const repaired = inner && within(inner, 'usage', wire)
  return repaired ? { ...chunk, [name]: repaired } : null
}

/** The object with its count repaired. Messages are always counted, other wires need not count. */
function within(holder: Fields, name: string, wire: Exclude<Wire, 'converse'>): Fields | null {
  const usage = holder[name]
  if ((usage === undefined || usage === null) && wire !== 'messages') return null
  const count = fields(usage)
  return count && isReadable(count, names[wire])
    ? null
    : { ...holder, [name]: readableCount(count ?? {}, names[wire]) }
}

const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) <= limits.usageTokensMax
const isNothing = (value: unknown): boolean => value === undefined || value === null

function isReadable(usage: Fields, { required, optional, inner }: Names): boolean {
  const inners = Object.entries(inner).map(([holder, each]) => [usage[holder], each] as const)
  return (
    required.every((name) => isCount(usage[name])) &&
    optional.every((name) => isNothing(usage[name]) || isCount(usage[name])) &&
    inners.every(([holder, each]) => isNothing(holder) || holdsCounts(fields(holder), each))
  )
}

const holdsCounts = (holder: Fields | undefined, each: readonly string[]): boolean =>
  holder !== undefined && each.every((name) => isNothing(holder[name]) || isCount(holder[name]))

function readableCount(usage: Fields, { required, optional, inner }: Names): Fields {
  const counts = [...required, ...optional].flatMap((name) => {
    const count = tokenCount(usage[name])
    if (count === undefined && !required.includes(name)) return []
    return [[name, count ?? 0] as const]
  })
  const inners = Object.entries(inner).flatMap(([name, each]) => {
    const held = each.flatMap((counted) => {
      const count = tokenCount(fields(usage[name])?.[counted])
      return count === undefined ? [] : [[counted, count] as const]
    })
    return held.length === 0 ? [] : [[name, Object.fromEntries(held)] as const]
  })
  return Object.fromEntries([...counts, ...inners])
}
