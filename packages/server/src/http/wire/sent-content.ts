/**
 * The content of a message that begins a run: its text, and the files that stand in it, in the forms that clients of LangChain
 * have. Each is read as one form: a text, or a file whose content is in it, or one that is elsewhere.
 *
 * C1 A type that a client declares for a file decides nothing: its name and its content do.
 */
import { z } from '@hono/zod-openapi'
import { fromBase64, fromDataUrl } from '../brought-files.ts'

/** A text that says something. */
export const Text = z.string().refine((text) => text.trim() !== '', 'takes text that is not blank')

/** A file of a message. */
export interface FileBlock {
  readonly type: 'file'
  readonly filename: string | undefined
  /** Null: its content is not in the message. */
  readonly bytes: Uint8Array | null
}

const Name = z.string().optional().catch(undefined)

/** Anthropic's form of a content. */
const Source = z.looseObject({ data: z.string().optional(), url: z.string().optional() })

/** OpenAI's forms: an address, or a file. */
const Address = z.union([z.string(), z.looseObject({ url: z.string() })])
const OpenAiFile = z.looseObject({ file_data: z.string().optional(), filename: Name })

const Sent = z.looseObject({
  data: z.string().optional(),
  base64: z.string().optional(),
  url: z.string().optional(),
  source: Source.optional().catch(undefined),
  image_url: Address.optional().catch(undefined),
  file: OpenAiFile.optional().catch(undefined),
  filename: Name,
  name: Name,
  metadata: z.looseObject({ filename: Name, name: Name }).optional().catch(undefined),
})

const fileTypes = ['image_url', 'image', 'file'] as const

const TextBlock = z.object({ type: z.literal('text'), text: Text })

const FileBlock = z
  .looseObject({
    type: z.enum(fileTypes, 'takes parts of type "text", "image_url", "image" and "file" only'),
  })
  .transform((sent): FileBlock => {
    const { data: block } = Sent.safeParse(sent)
    const { filename, name, metadata, file } = block ?? {}
    const named = filename ?? name ?? metadata?.filename ?? metadata?.name ?? file?.filename
    return { type: 'file', filename: named, bytes: block ? bytesOf(block) : null }
  })

/** The content of a file, wherever its form has it; null if it is not there. */
function bytesOf({
  data,
  base64,
  url,
  source,
  image_url: image,
  file,
}: z.output<typeof Sent>): Uint8Array | null {
  const text = data ?? base64 ?? source?.data
  if (text !== undefined) return fromDataUrl(text) ?? fromBase64(text)
  const address =
    url ?? source?.url ?? file?.file_data ?? (typeof image === 'string' ? image : image?.url)
  return fromDataUrl(address ?? '')
}

/** A text, or texts and files. */
export const SentContent = z.union([
  Text,
  z
    .array(z.union([TextBlock, FileBlock]))
    .refine(
      (blocks) => blocks.some(({ type }) => type === 'text'),
      'takes text that is not blank, beside files as well',
    ),
])
export type SentContent = z.output<typeof SentContent>

/** The texts of a message, in order. */
export const sentTexts = (content: SentContent): string[] =>
  typeof content === 'string'
    ? [content]
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
