/**
 * `RunAgentInput`, the one message that an AG-UI client sends. Unknown fields are ignored, since clients grow. What is known
 * and cannot be used is left out and said so on the stream, as the protocol asks: a part of a message that a model cannot
 * read, a tool that only the client can execute.
 */
import { z } from '@hono/zod-openapi'
import { isStorableText } from '../../http/json-guard.ts'

/** Characters of an id that a client made. */
const idCharsMax = 1000
const messagesMax = 10_000
const contextMax = 100
const toolsMax = 1000
const resumeMax = 64

const ClientId = z
  .string()
  .min(1, 'takes an id of your own')
  .max(idCharsMax)
  .refine(isStorableText, 'takes text without U+0000')

const SentMessage = z.looseObject({
  id: z.string().min(1).max(100),
  role: z.string(),
})
export type SentMessage = z.output<typeof SentMessage>

const Context = z.looseObject({ description: z.string(), value: z.string() })
export type Context = z.output<typeof Context>

const ResumeEntry = z.looseObject({
  /** The `id` of an interrupt. */
  interruptId: z.string().min(1).max(idCharsMax),
  status: z.enum(['resolved', 'cancelled']),
  /** What its `responseSchema` describes. */
  payload: z.unknown().optional(),
})
export type ResumeEntry = z.output<typeof ResumeEntry>

export const RunAgentInput = z
  .looseObject({
    /** Names the thread. One that cannot be an id here is stood for by one that follows from it. */
    threadId: ClientId,
    /** Names the run: the same id again is the same run. */
    runId: ClientId,
    parentRunId: ClientId.optional(),
    /** What the thread does not know yet is the input. The thread is the truth about everything else. */
    messages: z.array(SentMessage).max(messagesMax),
    /** Tools of the client. Ignored, and said so: what executes here are the tools of the agent. */
    tools: z
      .array(z.looseObject({ name: z.string() }))
      .max(toolsMax)
      .default([]),
    /** Said to the model before the input, where it is other than the thread was told last. */
    context: z.array(Context).max(contextMax).default([]),
    /** Kept for the client: an interrupt gives it back as it came. */
    state: z.unknown().optional(),
    /** Answers to what the thread waits for: all of it, and nothing else beside it. */
    resume: z.array(ResumeEntry).max(resumeMax).optional(),
  })
  .openapi('RunAgentInput')
export type RunAgentInput = z.output<typeof RunAgentInput>
