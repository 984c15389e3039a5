/**
 * The fields of a chunk that a detector of the user's own may look at: every flag, number and short word in it, wherever it
 * stands, but what the model says, thinks or passes to a tool. Bounded, so that no chunk costs more than its due.
 */
import { fields } from '../read.ts'

/** A field by its path, such as `base_resp.status_code` or `choices.output_sensitive`; places in lists are left out. */
export interface ChunkField {
  readonly field: string
  readonly value: string
}

const depthMax = 6
const fieldsMax = 128
const listMax = 32
const wordCharsMax = 200

/** Names under which wires carry what a model writes, whole answers that repeat it, and the tools it asks for. */
const written: ReadonlySet<string> = new Set([
  'content',
  'text',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
  'refusal',
  'summary',
  'transcript',
  'signature',
  'thoughtSignature',
  'encrypted_content',
  'arguments',
  'input',
  'args',
  'partial_json',
  'function_call',
  'functionCall',
  'tool_calls',
  'name',
  'toolUse',
  'output',
  'audio',
  'logprobs',
  'tools',
  'instructions',
  'data',
  'bytes',
])

/** Every such field, at most 128 of a chunk. A `delta` that is a text itself is what the model says. */
export function fieldsIn(chunk: unknown): readonly ChunkField[] {
  const found: ChunkField[] = []
  const visit = (value: unknown, path: string, depth: number): void => {
    if (found.length >= fieldsMax || depth > depthMax) return
    if (Array.isArray(value)) {
      for (const each of value.slice(0, listMax)) visit(each, path, depth + 1)
      return
    }
    const inner = fields(value)
    if (inner) {
      for (const [key, each] of Object.entries(inner))
        if (!written.has(key) && !(key === 'delta' && typeof each === 'string'))
          visit(each, path === '' ? key : `${path}.${key}`, depth + 1)
      return
    }
    const word = wordOf(value)
    if (path !== '' && word !== null) found.push({ field: path, value: word })
  }
  visit(chunk, '', 0)
  return found
}

function wordOf(value: unknown): string | null {
  if (typeof value === 'string') return value !== '' && value.length <= wordCharsMax ? value : null
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : null
}
