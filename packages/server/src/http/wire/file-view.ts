/** Files and uploads, as the API shows them. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { CheckpointId } from '../../wires/langgraph/checkpoint.ts'
import { isStorableText } from '../json-guard.ts'
import { Flag, Id, Limit } from './ids.ts'

/** A path in the files of a thread, or the beginning of one. What it may be is asked where it is used. */
const PathText = z
  .string()
  .max(limits.filePathCharsMax, `takes at most ${limits.filePathCharsMax} characters`)
  .refine(isStorableText, 'takes text without U+0000')

export const ThreadFilePath = z.object({
  thread_id: Id,
  /** Relative, with slashes between names, or `%2F` for them. */
  path: PathText.min(1),
})

export const FileAt = z.object({
  /** A checkpoint of the thread: the file as it was then. */
  at: CheckpointId.optional(),
})

export const FilePage = z.object({
  /** At most so many. Default and maximum: 1000. */
  limit: Limit,
  /** Behind this path: the last one of the page before. */
  after: PathText.optional(),
})

export const FileQuery = FilePage.extend({
  ...FileAt.shape,
  /** Only paths that begin with this. */
  prefix: PathText.optional(),
  /** Digests of the contents are made for the page: it costs reading them where they lie. */
  sha256: Flag,
})

/** A file that was uploaded. */
export const Upload = z
  .object({
    /** Names it in the `input.files` of a run, for 24 hours. */
    upload_id: z.string(),
    /** The base name of what was sent, in NFC. */
    name: z.string(),
    /** By content: what the client said is ignored. */
    mime: z.string(),
    bytes: z.number().int(),
    /** Hex. */
    sha256: z.string(),
  })
  .openapi('Upload')
export type Upload = z.infer<typeof Upload>

const Changed = z.object({
  run_id: z.string(),
  /** The event that says so. */
  seq: z.number().int(),
  /** Null: the run was given the file, or is an edit. */
  call_id: z.string().nullable(),
})

export const ThreadFile = z
  .object({
    path: z.string(),
    /** Null: calls that ran side by side edited it, so that it must be read to know. */
    bytes: z.number().int().nullable(),
    /** The same for the same content, within a thread. Null where nothing is recorded. */
    key: z.string().nullable(),
    /** Hex. Null unless it was asked for; of what was erased, or must be read to know, always. */
    sha256: z.string().nullable(),
    executable: z.boolean(),
    /** The event that changed it last. Null where nothing is recorded. */
    changed_by: Changed.nullable(),
  })
  .openapi('ThreadFile')
export type ThreadFile = z.infer<typeof ThreadFile>

const Content = z.object({
  key: z.string(),
  /** Null: see `ThreadFile`. */
  bytes: z.number().int().nullable(),
})

/** A file that a run changed. */
export const RunFile = z
  .object({
    path: z.string(),
    /** Null: it was not there. */
    before: Content.nullable(),
    /** Null: it is not there any more. */
    after: Content.nullable(),
    /** Is it what the run gives to its users: under `outputs/`, and there? */
    artifact: z.boolean(),
    /** The changes, in order. */
    changes: z.array(z.object({ seq: z.number().int(), call_id: z.string().nullable() })),
  })
  .openapi('RunFile')
export type RunFile = z.infer<typeof RunFile>

/** A file that was written by hand. */
export const WrittenFile = z
  .object({
    path: z.string(),
    mime: z.string(),
    bytes: z.number().int(),
    sha256: z.string(),
    /** Null where nothing is recorded. */
    key: z.string().nullable(),
    /** The run that is the edit, and the checkpoint behind it. Null where nothing is recorded. */
    run_id: z.string().nullable(),
    checkpoint_id: z.string().nullable(),
  })
  .openapi('WrittenFile')
export type WrittenFile = z.infer<typeof WrittenFile>

/** Artifacts as the states of LangGraph show files: by path. */
const FilesByPath = z.record(z.string(), z.object({ bytes: z.number().int() }))

/** The artifacts that the run of a state has left so far; absent without any, as for every run that keeps no files. */
export const artifactFields = {
  files: FilesByPath.optional(),
  /** Changes that `files` does not list: GET /runs/{run_id}/files does. */
  files_more: z.number().int().optional(),
}
