/** The past of a thread: its state at a checkpoint, and the list of all of them, whatever goes on from which. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits } from '@signalbox/core'
import type { ThreadView } from '@signalbox/postgres'
import type { ReadModel } from '../../read-model.ts'
import { CheckpointId, parseCheckpointId } from './checkpoint.ts'
import { checkpointMetadata, stateOf, threadEvents, type ThreadState } from './state.ts'
import { foldBranches } from './branches.ts'
import { foldSteps, type StepHead, stepHeads } from './state-steps.ts'

const Named = z.object({ checkpoint_id: CheckpointId })

/** What to list. Filters join with "and". */
export const History = z
  .object({
    limit: z.number().int().min(1, 'takes at least 1').max(limits.pageMax).default(10),
    /** Only states older than this checkpoint: its id, or what names it. */
    before: z
      .union(
        [CheckpointId, Named, z.object({ configurable: Named })],
        'takes the id of a checkpoint, or { "checkpoint_id": "…" }',
      )
      .nullish()
      .transform((before) => {
        if (typeof before !== 'object' || before === null) return before ?? null
        return 'configurable' in before ? before.configurable.checkpoint_id : before.checkpoint_id
      }),
    /** Keys and values that the metadata of a state must have. */
    metadata: JsonObjectSchema.nullish().openapi({ type: ['object', 'null'] }),
    /** Only this one. */
    checkpoint: z.object({ checkpoint_id: CheckpointId.nullish() }).nullish(),
  })
  .openapi('ThreadHistory')
export type History = z.output<typeof History>

type Place = Pick<ThreadView, 'tenantId' | 'threadId'>

/** The state at a checkpoint; null if the thread has none of this id. */
export async function stateAt(
  read: Pick<ReadModel, 'threadEvents'>,
  thread: Place,
  id: string,
): Promise<ThreadState | null> {
  const place = parseCheckpointId(id)
  if (!place) return null
  // The verdicts of a decision stand behind it.
  const through = { runId: place.runId, seq: Number.POSITIVE_INFINITY }
  const events = await threadEvents(read, thread, through)
  const [step] = foldSteps(
    events,
    stepHeads(events).filter((head) => head.id === id),
  )
  return step ? stateOf(thread.threadId, step) : null
}

/** The states that are asked for, newest first. Each is made when it is taken: together they may be large. */
export async function pastStates(
  read: Pick<ReadModel, 'threadEvents'>,
  thread: Place,
  asked: History,
): Promise<Iterable<ThreadState>> {
  const { limit, before } = asked
  const events = await threadEvents(read, thread, 'branches')
  const all = stepHeads(events)
  const older =
    before === null
      ? all
      : all.slice(
          0,
          all.findLastIndex(({ id }) => id === before),
        )
  const heads = older.filter((head) => isAsked(head, asked)).slice(-limit)
  const steps = foldBranches(events, all, heads)
  return {
    *[Symbol.iterator]() {
      for (const { id } of heads.toReversed()) {
        const step = steps.get(id)
        if (step) yield stateOf(thread.threadId, step)
      }
    },
  }
}

function isAsked(head: StepHead, { metadata, checkpoint }: History): boolean {
  if (checkpoint?.checkpoint_id && head.id !== checkpoint.checkpoint_id) return false
  const own = new Map<string, unknown>(Object.entries(checkpointMetadata(head)))
  return Object.entries(metadata ?? {}).every(
    ([key, value]) => JSON.stringify(own.get(key)) === JSON.stringify(value),
  )
}
