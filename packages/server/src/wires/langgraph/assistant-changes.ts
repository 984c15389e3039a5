/** Creates and changes of assistants in LangGraph's words. What they may change of an agent stands in `assistants/`. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits } from '@signalbox/core'
import { Term } from '../../http/wire/ids.ts'
import { Metadata } from '../../http/wire/run-create.ts'

const Settings = JsonObjectSchema.nullish().openapi({ type: ['object', 'null'] })

const content = {
  name: Term.nullish(),
  description: z.string().max(limits.errorBytesMax).nullish(),
  metadata: Metadata.nullish(),
  /** `configurable` takes what `context` takes; `tags` are kept. */
  config: Settings,
  /** `instructions`, `model` and `limits`. */
  context: Settings,
}

export const AssistantCreate = z
  .object({
    /** The name of a configured agent. */
    graph_id: z.string().min(1, 'takes the name of an agent').max(limits.idCharsMax),
    assistant_id: z.uuid('takes a UUID').nullish(),
    if_exists: z.enum(['raise', 'do_nothing']).nullish(),
    ...content,
  })
  .openapi('AssistantCreate')
export type AssistantCreate = z.output<typeof AssistantCreate>

export const AssistantPatch = z
  .object({ graph_id: z.string().min(1).max(limits.idCharsMax).nullish(), ...content })
  .openapi('AssistantPatch')
export type AssistantPatch = z.output<typeof AssistantPatch>

export const AssistantLatest = z
  .object({ version: z.number().int().min(1, 'takes at least 1') })
  .openapi('AssistantLatest')
