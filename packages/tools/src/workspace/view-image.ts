/**
 * The tool `view_image`: a file of the thread as an image, for a model that sees images. It is asked for by its path, or, of an image that was shown
 * before, by its key.
 *
 * V1 The image is what the file was at the call: a file that changes later changes nothing of a result.
 * V2 Only what the thread holds can be asked for, and only images of it are shown.
 */
import {
  imageWords,
  type JsonObject,
  type JsonObjectSchema,
  limits,
  readImage,
  type SaidOfImage,
  ToolSpec,
} from '@signalbox/core'
import { z } from 'zod'
import { assembleOutput } from '../output.ts'
import type { Execution, Runnable } from '../runnable.ts'
import { toolVersion } from '../version.ts'
import type { CallFileSet } from './file-set.ts'
import { parsePath } from './path.ts'

/** The name the model calls it by, which is a selector of agents as well. */
export const viewImageTool = 'view_image'

const inputSchema = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      maxLength: limits.filePathCharsMax,
      description: 'Path relative to the workspace, for example "uploads/chart.png".',
    },
    image: {
      type: 'string',
      maxLength: limits.idCharsMax,
      description: 'The key of an image that was shown before, as it stands in its place.',
    },
  },
  additionalProperties: false,
} satisfies z.input<typeof JsonObjectSchema>

const Args = z.union([
  z.strictObject({ path: z.string().max(limits.filePathCharsMax) }),
  z.strictObject({ image: z.string().min(1).max(limits.idCharsMax) }),
])

/** The tool. It only reads, wherever it runs. */
export const viewImage: Runnable = {
  spec: ToolSpec.parse({
    name: viewImageTool,
    version: toolVersion({ name: viewImageTool, inputSchema, effect: 'read' }),
    description:
      'Shows an image of the workspace (JPEG, PNG, WebP or GIF), by its path; or one that was shown before and left out since, by its key.',
    inputSchema,
    effect: 'read',
    queue: 'tools',
    timeoutMs: 60_000,
  }),
  settlesOnAbort: true,
  async execute(args: JsonObject, _context, { files }): Promise<Execution> {
    const { data: wanted } = Args.safeParse(args)
    if (!wanted)
      return {
        ok: false,
        code: 'invalid_arguments',
        message: 'takes path, or image, which is a key; one of them',
      }
    return 'path' in wanted
      ? byPath(files, wanted.path)
      : show(await files.kept(wanted.image), { name: undefined }, wanted.image)
  },
}

async function byPath(files: CallFileSet, path: string): Promise<Execution> {
  const names = parsePath(path)
  if (!names.ok) return refused(path, names.code, names.message)
  const whole = names.value.join('/')
  const name = names.value.at(-1)
  return show(await files.read(whole), { name }, path)
}

function show(bytes: Uint8Array | null, said: SaidOfImage, at: string): Execution {
  if (!bytes)
    return refused(at, 'not_found', 'There is no such file or image, or its content was erased.')
  const read = readImage(bytes, said)
  if (!read.ok) return refused(at, read.code, `It cannot be shown: ${read.message}.`)
  const { name } = said
  const { mime, width, height } = read
  const words = `[${imageWords({ mime, width, height, ...(name === undefined ? {} : { name }) })}, not shown]`
  const output = assembleOutput({ texts: [words] })
  return { ok: true, output, images: [{ at: 0, bytes, ...(name === undefined ? {} : { name }) }] }
}

/** A result, not a failure: the tool worked, and the model can do something about what it says. */
const refused = (at: string, code: string, message: string): Execution => ({
  ok: true,
  output: assembleOutput({ texts: [`${at}: ${message}`], isError: true, structured: { code } }),
})
