/** Checkpoints: what LangGraph calls a place in a thread. Ours are decisions: a run, and the number of its `run.transitioned`. */
import { z } from '@hono/zod-openapi'

/** A place in a thread. */
export const Checkpoint = z
  .object({
    thread_id: z.string(),
    checkpoint_ns: z.literal(''),
    /** Null where nothing was said yet. */
    checkpoint_id: z.string().nullable(),
    checkpoint_map: z.null(),
  })
  .openapi('Checkpoint')
export type Checkpoint = z.infer<typeof Checkpoint>

/** The id of the decision with this number. Within a run, ids sort as texts. */
export const checkpointId = (runId: string, seq: number): string =>
  `${runId}-${String(seq).padStart(6, '0')}`

/** What an id names; null if it is none. */
export function parseCheckpointId(
  id: string,
): { readonly runId: string; readonly seq: number } | null {
  const [, runId, seq] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d{6})$/.exec(id) ?? []
  return runId === undefined || seq === undefined ? null : { runId, seq: Number(seq) }
}

/** Names a checkpoint. */
export const CheckpointId = z
  .string()
  .refine((id) => parseCheckpointId(id) !== null, 'takes the id of a checkpoint')

export const checkpointOf = (threadId: string, id: string | null): Checkpoint => ({
  thread_id: threadId,
  checkpoint_ns: '',
  checkpoint_id: id,
  checkpoint_map: null,
})
