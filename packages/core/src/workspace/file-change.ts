/** The changes of a call, or of a user with a run, to the files of a thread, as its event keeps them. Contents stand in blobs, named by what is in them. */
import { z } from 'zod'
import { imageRefusals } from '../image/read-image.ts'
import { limits } from '../limits.ts'

/** Why an image that a run was given is not shown: its own faults, or because it is one of too many. */
const givenImageRefusals = [...imageRefusals, 'too_many_images'] as const

/** One file, as the call left it. What a path means is the tools' business. */
export const FileChange = z.object({
  /** Relative, `/` between names. */
  path: z.string().min(1).max(limits.filePathCharsMax),
  /** Names the blob of the content. Null: the file is gone. */
  key: z.string().nullable(),
  /** Its size. */
  bytes: z.number().int().min(0),
  /** The media type that its content looks like, for a file that a user gave. Absent: nobody looked. */
  mime: z.string().max(limits.mimeCharsMax).optional(),
  /** The text of the file, for a model that is to read it in the message that it came with. Absent: the model is not to. */
  text: z.string().max(limits.inlineUploadCharsMax).optional(),
  /** The image that it is, for a model that is to see it in the message that it came with; or why it does not. Absent: nobody looked. */
  image: z
    .union([
      z.object({ width: z.number().int().min(1), height: z.number().int().min(1) }),
      z.object({ refused: z.enum(givenImageRefusals) }),
    ])
    .optional(),
  /** Whether it is a program. */
  executable: z.literal(true).optional(),
  /** It was edited, not written anew: the blob of the edits, and which state of the file they were made in. */
  edit: z.object({ key: z.string(), since: z.string() }).optional(),
})

/** The changes that a call made: the changes themselves, or, where they are many, the blob that lists them and their number. */
export const FileChanges = z.union([
  z.array(FileChange).min(1).max(limits.inlineFilesMax),
  z.object({ manifest: z.string(), count: z.number().int().min(1).max(limits.filesPerCallMax) }),
])

/** The list of a manifest. */
export const FileManifest = z.array(FileChange).max(limits.filesPerCallMax)

export type FileChange = z.infer<typeof FileChange>
export type FileChanges = z.infer<typeof FileChanges>
