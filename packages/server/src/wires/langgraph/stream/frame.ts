/** A frame of a stream before it is written, and the words that several modes share. */
import type { RunHead } from '@signalbox/engine'
import type { StreamMode } from './modes.ts'

/** Made only if somebody asked for it: the data of a frame may be large. */
export interface StreamFrame {
  /** Null: everybody gets it. */
  readonly mode: StreamMode | null
  readonly event: string
  readonly data: () => unknown
}

/** The nodes of our machine, as the wire shows it. */
export type Node = 'model' | 'tools'

/** What LangGraph says about where a message comes from. */
export interface MessageOrigin {
  readonly node: Node
  readonly step: number
}

/** The metadata of a message. */
export const messageMetadata = (head: RunHead, { node, step }: MessageOrigin) => ({
  run_id: head.runId,
  thread_id: head.threadId,
  assistant_id: head.agent,
  graph_id: head.agent,
  langgraph_node: node,
  langgraph_step: step,
  langgraph_checkpoint_ns: '',
  checkpoint_ns: '',
  tags: [],
})
