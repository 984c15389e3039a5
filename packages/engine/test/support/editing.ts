/** Tools over the files of a thread, small enough to read: `write`, `edit`, `remove`, `show`, and `wait`, which waits for a gate. */
import type { JsonObject, ToolSpec } from '@signalbox/core'
import {
  type CallFiles,
  encodeEdits,
  fileContent,
  type FileDraft,
  type ToolHost,
  type ToolOutcome,
} from '@signalbox/engine'
import { functionTools, type ScriptedCall, toolSpec } from './world.ts'

const names = ['write', 'edit', 'remove', 'show', 'wait'] as const

/** Their specs. */
export const editing: readonly ToolSpec[] = names.map((name) =>
  toolSpec(name, name === 'show' || name === 'wait' ? 'read' : 'idempotent'),
)

export const write = (path: string, text: string): ScriptedCall => ({
  tool: 'write',
  args: { path, text },
})
export const edit = (path: string, from: string, to: string): ScriptedCall => ({
  tool: 'edit',
  args: { path, from, to },
})
export const remove = (path: string): ScriptedCall => ({ tool: 'remove', args: { path } })
export const show: ScriptedCall = { tool: 'show', args: {} }
export const wait = (gate: string): ScriptedCall => ({ tool: 'wait', args: { gate } })

/** Gates that calls of `wait` stand at until they are opened. */
export class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  /** Opens one, for those that wait at it and for those that will. */
  open(name: string): void {
    this.#of(name).resolve()
  }

  async pass(name: string, signal: AbortSignal): Promise<void> {
    const left = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([this.#of(name).promise, left])
    signal.throwIfAborted()
  }

  #of(name: string): PromiseWithResolvers<void> {
    const known = this.#gates.get(name) ?? Promise.withResolvers<void>()
    this.#gates.set(name, known)
    return known
  }
}

const said = (text: string, isError = false) => ({
  content: [{ type: 'text' as const, text }],
  isError,
})
const textIn = (args: JsonObject, key: string): string => String(args[key] ?? '')

async function changed(
  files: CallFiles,
  name: string,
  args: JsonObject,
): Promise<FileDraft | null> {
  const path = textIn(args, 'path')
  if (name === 'remove') return { path, bytes: null, executable: false }
  if (name === 'write') return { path, bytes: Buffer.from(textIn(args, 'text')), executable: false }
  const file = (await files.tree()).get(path)
  const bytes = file && (await fileContent(file, files.read))
  const [from, to] = [textIn(args, 'from'), textIn(args, 'to')]
  const text = bytes ? Buffer.from(bytes).toString() : ''
  if (!file || !text.includes(from)) return null
  return {
    path,
    bytes: Buffer.from(text.replace(from, to)),
    executable: file.executable,
    edit: { bytes: encodeEdits([{ oldText: from, newText: to }]), since: file.state },
  }
}

/** All files, `path=content`, by path. */
export async function shown(files: CallFiles): Promise<string> {
  const lines: string[] = []
  for (const [path, file] of [...(await files.tree())].toSorted()) {
    const bytes = await fileContent(file, files.read)
    lines.push(`${path}=${bytes ? Buffer.from(bytes).toString() : '(gone)'}`)
  }
  return lines.join('; ')
}

/** The tools of a process. */
export function editingTools(gates = new Gates()): ToolHost {
  const host = functionTools({})
  return {
    ...host,
    specs: async () => editing,
    knows: async (name) => editing.some((spec) => spec.name === name),
    call: async ({ name, args, files }, signal): Promise<ToolOutcome> => {
      if (name === 'wait') {
        try {
          await gates.pass(textIn(args, 'gate'), signal)
        } catch {
          return { status: 'aborted', settled: true }
        }
        return { status: 'completed', output: said('passed') }
      }
      if (!files) throw new Error('no files')
      if (name === 'show') return { status: 'completed', output: said(await shown(files)) }
      const draft = await changed(files, name, args)
      if (!draft) return { status: 'completed', output: said('does not fit', true) }
      return { status: 'completed', output: said(`${name} done`), files: [draft] }
    },
  }
}
