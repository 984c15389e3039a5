/** The body of a rerun. Every field may be left out: then the run is repeated with what it had. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema } from '@signalbox/core'
import { Metadata, WebhookAddress } from './run-create.ts'
import { orderFields } from './multitask.ts'

export const RunRerun = z
  .object({
    assistant_id: z
      .string()
      .min(1, 'takes the name of an agent')
      .max(200)
      .nullish()
      .openapi({ description: 'Another agent or assistant. Default: what the run itself had.' }),
    context: JsonObjectSchema.nullish()
      .transform((context) => context ?? {})
      .openapi({
        type: 'object',
        description:
          'What to change of it: `model`, one of those that the agent has, `instructions`, and `limits`, downwards.',
      }),
    metadata: Metadata.nullish().transform((metadata) => metadata ?? {}),
    priority: orderFields.priority,
    webhook: WebhookAddress.nullish(),
    memory: z.enum(['then', 'now']).optional().openapi({
      description:
        'What it is shown of the memory of its user: what the run itself was shown (`then`, the default), or what is known now.',
    }),
  })
  .openapi('RunRerun')
export type RunRerun = z.output<typeof RunRerun>
