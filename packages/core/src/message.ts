/**
 * What is said: messages and their parts, as stored in events. Close to the parts of the AI SDK's language model,
 * but ours: event logs outlive SDK majors. `meta` is provider metadata, kept verbatim and opaque, and replayed to the
 * same provider (a Gemini thoughtSignature, an Anthropic signature).
 */
import { z } from 'zod'
import { JsonObjectSchema } from './json.ts'
import { limits } from './limits.ts'

/** Plain text. */
export const TextPart = z.object({
  type: z.literal('text'),
  text: z.string(),
  meta: JsonObjectSchema.optional(),
})

/** Reasoning the provider lets us see; its `meta` may be a signature that must be replayed unchanged. */
export const ReasoningPart = z.object({
  type: z.literal('reasoning'),
  text: z.string(),
  meta: JsonObjectSchema.optional(),
})

/** Content too long for an event: `key` names the blob, `preview` is its head and tail. */
export const BlobPart = z.object({
  type: z.literal('blob'),
  key: z.string(),
  bytes: z.number().int(),
  mime: z.string(),
  preview: z.string(),
})

/** Types of images that models are shown. */
export const ImageType = z.enum(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])

/**
 * An image: `key` names the blob that holds its bytes, which stand in no event. What it is, and its size in pixels, was read from these bytes
 * when they were stored.
 */
export const ImagePart = z.object({
  type: z.literal('image'),
  key: z.string(),
  mime: ImageType,
  bytes: z.number().int().min(1),
  width: z.number().int().min(1),
  height: z.number().int().min(1),
  /** The name of the file that it was. */
  name: z.string().max(limits.fileNameCharsMax).optional(),
})

/**
 * A tool call of a turn that closed positively. Stored arguments exist here and nowhere else (I23).
 * `invalid` says why the call gets an error result instead of an execution; its siblings go on.
 */
export const ToolCallPart = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  args: JsonObjectSchema,
  argsHash: z.string(),
  invalid: z.object({ code: z.string(), message: z.string() }).optional(),
  meta: JsonObjectSchema.optional(),
})

/** A tool call and its result that the provider ran itself (a server tool). Never paired with ours. */
export const ProviderToolPart = z.object({
  type: z.literal('provider_tool'),
  id: z.string(),
  name: z.string(),
  call: JsonObjectSchema,
  result: JsonObjectSchema.optional(),
  meta: JsonObjectSchema.optional(),
})

/** A part of what a user said, or of what a tool answered. */
export const ContentPart = z.discriminatedUnion('type', [TextPart, BlobPart, ImagePart])
/** A part of what the model said. */
export const AssistantPart = z.discriminatedUnion('type', [
  TextPart,
  ReasoningPart,
  BlobPart,
  ToolCallPart,
  ProviderToolPart,
])

/** What a user, or a system text that came with the request, says. */
export const UserMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'system']),
  parts: z.array(ContentPart),
})

/** What the model said in one turn. */
export const AssistantMessage = z.object({
  id: z.string(),
  role: z.literal('assistant'),
  parts: z.array(AssistantPart),
})

/** What somebody else than the model puts into a conversation, whoever is to have said it. It asks for no calls. */
export const EditMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'system', 'assistant']),
  parts: z.array(ContentPart),
})

/** What a tool call came to: what the model will read as its one result. */
export const ToolOutput = z.object({
  content: z.array(ContentPart),
  isError: z.boolean(),
  structured: JsonObjectSchema.optional(),
})

export type TextPart = z.infer<typeof TextPart>
export type ReasoningPart = z.infer<typeof ReasoningPart>
export type BlobPart = z.infer<typeof BlobPart>
export type ImageType = z.infer<typeof ImageType>
export type ImagePart = z.infer<typeof ImagePart>
export type ToolCallPart = z.infer<typeof ToolCallPart>
export type ProviderToolPart = z.infer<typeof ProviderToolPart>
export type ContentPart = z.infer<typeof ContentPart>
export type AssistantPart = z.infer<typeof AssistantPart>
export type UserMessage = z.infer<typeof UserMessage>
export type AssistantMessage = z.infer<typeof AssistantMessage>
export type EditMessage = z.infer<typeof EditMessage>
export type ToolOutput = z.infer<typeof ToolOutput>
