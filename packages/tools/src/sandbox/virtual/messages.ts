/** The messages between a process of the virtual sandbox and its owner. The process runs a model's script: its messages are checked. */
import { z } from 'zod'

/** A file as it is told of: its bytes follow if it is read. */
export interface ToldFile {
  readonly path: string
  readonly bytes: number
  readonly executable: boolean
}

/** To the thread, by way of its process. The first is sent once. */
export type ToThread =
  | {
      readonly type: 'run'
      readonly script: string
      readonly cwd: string
      readonly stdin: string
      readonly env: Readonly<Record<string, string>>
      readonly files: readonly ToldFile[]
      readonly mounts: readonly { readonly at: string; readonly directory: string }[]
      readonly filesBytesMax: number
      readonly tmpBytesMax: number
      readonly outputBytesMax: number
    }
  | { readonly type: 'content'; readonly id: number; readonly bytes: Uint8Array | null }

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** From the thread, and of what became of it. `outputBytes`: written in all; of it, a little more than may be is sent. */
export const FromThread = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('read'), id: z.number().int(), path: z.string() }),
  z.object({
    type: z.literal('done'),
    exitCode: z.number().int().min(0).max(255),
    stdout: Bytes,
    stderr: Bytes,
    outputBytes: z.number().int().min(0),
    changes: z.array(
      z.object({ path: z.string(), bytes: Bytes.nullable(), executable: z.boolean() }),
    ),
  }),
  z.object({ type: z.literal('memory') }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])
export type FromThread = z.infer<typeof FromThread>
