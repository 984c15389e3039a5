/**
 * The tools of memories, performed by workers as `read_result` is. No agent of a configuration is offered those that change one: they are the
 * learner's.
 */
import { memoryToolNames, memoryTools, searchMemoryName, searchMemoryTool } from '@signalbox/core'
import type { ToolHost, ToolOutcome, ToolRequest } from '../ports.ts'

const specs = [...memoryTools('tools'), searchMemoryTool('tools')]
const versions = new Map(specs.map(({ name, version }) => [name, version]))

/** The tools of a process, and those of memories beside them. */
export const withMemoryTools = (host: ToolHost): ToolHost => ({
  specs: () => host.specs(),
  knows: async (name, version) =>
    versions.has(name) ? versions.get(name) === version : host.knows(name, version),
  call: (request, signal) =>
    versions.has(request.name) ? perform(request) : host.call(request, signal),
  close: () => host.close(),
})

async function perform({ name, args, memory }: ToolRequest): Promise<ToolOutcome> {
  if (memory && name === searchMemoryName) return memory.search(args)
  if (memory && memoryToolNames.some((each) => each === name)) return memory.change()
  const message = 'this process has no memories'
  return { status: 'failed', error: { code: 'no_memory', message } }
}
