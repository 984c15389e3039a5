/** The mode `events`: LangChain's own stream of what runs, as far as our machine has it. */
import type { RunHead } from '@signalbox/engine'
import { type StreamFrame, messageMetadata, type Node } from './frame.ts'

interface Happening {
  readonly name: string
  readonly step: number
  readonly data: () => unknown
}

const frameOf = (
  head: RunHead,
  node: Node,
  { name, step, data, of }: Happening & { readonly of: string },
): Omit<StreamFrame, 'mode'> => ({
  event: 'events',
  data: () => ({
    event: name,
    name: of,
    run_id: head.runId,
    parent_ids: [],
    tags: [],
    metadata: messageMetadata(head, { node, step }),
    data: data(),
  }),
})

/** Something about the model. */
export const chatEvent = (head: RunHead, happening: Happening): Omit<StreamFrame, 'mode'> =>
  frameOf(head, 'model', { ...happening, of: 'model' })

/** Something about a tool. */
export const toolEvent = (
  head: RunHead,
  tool: string,
  happening: Happening,
): Omit<StreamFrame, 'mode'> => frameOf(head, 'tools', { ...happening, of: tool })
