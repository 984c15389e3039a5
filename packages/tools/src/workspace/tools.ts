/**
 * The file tools of an agent.
 *
 * In a directory `str_replace` is `once`: after a crash nobody can tell whether the text that is there now is from before the
 * replacement or was written by somebody since, and a second run would fail, or replace twice where the new text
 * contains the old. In a snapshot an attempt that was lost has changed nothing, so a second run is the first. `write_file`
 * gives the whole text, so a second run leaves what the first one left.
 */
import { type EffectMode, limits } from '@signalbox/core'
import { z } from 'zod'
import { defineTool, type DefinedTool } from '../define-tool.ts'
import type { WorkspaceRefusal } from './refusal.ts'

const path = z
  .string()
  .max(1024)
  .describe('Path relative to the workspace, for example "reports/summary.md".')
const text = z.string().max(limits.toolResultBytesMax)

const ls = defineTool({
  name: 'ls',
  description: 'Lists a directory of the workspace.',
  effect: 'read',
  input: z.object({ path: path.default('.') }),
  async run(input, { workspace }) {
    const listed = await workspace.ls(input.path)
    if (!listed.ok) return refusal(input.path, listed)
    const { entries, more } = listed.value
    if (entries.length === 0) return 'The directory is empty.'
    const lines = entries.map((entry) => {
      if (entry.kind === 'directory') return `${entry.name}/`
      return entry.kind === 'file'
        ? `${entry.name} (${entry.bytes} bytes)`
        : `${entry.name} (${entry.kind})`
    })
    return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
  },
})

/** The tool that reads a file whole or in part. */
export const readFileToolName = 'read_file'

const readFile = defineTool({
  name: readFileToolName,
  description: 'Reads a text file of the workspace, as a whole or a range of its lines.',
  effect: 'read',
  input: z.object({
    path,
    startLine: z.number().int().min(1).default(1).describe('First line to read, from 1.'),
    lineCount: z.number().int().min(1).optional().describe('Number of lines; all if left out.'),
  }),
  async run(input, { workspace }) {
    const read = await workspace.readFile(input.path)
    if (!read.ok) return refusal(input.path, read)
    if (input.startLine === 1 && input.lineCount === undefined) return read.value
    const lines = read.value.split('\n')
    const start = input.startLine - 1
    if (start >= lines.length) return `[The file has ${lines.length} lines.]`
    return lines.slice(start, start + (input.lineCount ?? lines.length)).join('\n')
  },
})

const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a text file of the workspace, replacing what was there. Creates directories as needed.',
  effect: 'idempotent',
  input: z.object({ path, content: text.describe('The whole new text of the file.') }),
  async run(input, { workspace }) {
    const written = await workspace.writeFile(input.path, input.content)
    if (!written.ok) return refusal(input.path, written)
    const verb = written.value.created ? 'Created' : 'Replaced'
    return `${verb} ${input.path} (${written.value.bytes} bytes).`
  },
})

const strReplace = (effect: EffectMode): DefinedTool =>
  defineTool({
    name: 'str_replace',
    description: 'Replaces a text that occurs exactly once in a file of the workspace.',
    effect,
    input: z.object({
      path,
      oldText: text.min(1).describe('The text to replace, with enough around it to be unique.'),
      newText: text.describe('The text to put in its place.'),
    }),
    async run(input, { workspace }) {
      const replaced = await workspace.replace(input.path, input.oldText, input.newText)
      if (!replaced.ok) return refusal(input.path, replaced)
      return `Replaced in ${input.path}, line ${replaced.value.line}.`
    },
  })

/** The four file tools, for directories or for snapshots. */
export const workspaceTools = (kept: 'directory' | 'snapshots'): readonly DefinedTool[] => [
  ls,
  readFile,
  strReplace(kept === 'snapshots' ? 'idempotent' : 'once'),
  writeFile,
]

/** Their names, which no other tool may have. */
export const workspaceToolNames: readonly string[] = workspaceTools('directory').map(
  (tool) => tool.spec.name,
)

/** A result, not a failure: the tool worked, and the model can do something about what it says. */
function refusal(at: string, { code, message }: WorkspaceRefusal): unknown {
  return { content: `${at}: ${message}`, isError: true, structured: { code } }
}
