/**
 * The thread of a virtual sandbox: loads just-bash, says that it is ready, runs one script over the files that its owner
 * has, and tells what came of it. Its owner ends it, whatever it does.
 */
import { parentPort } from 'node:worker_threads'
import { Bash, type IFileSystem, InMemoryFs, MountableFs, OverlayFs } from 'just-bash'
import type { FromThread, ToThread } from './messages.ts'
import { TreeFs, workspacePoint } from './tree-fs.ts'

/** Counters of just-bash are no limits of ours: the clock of the owner is, and the memory of the thread. */
const uncounted = 1e12
const intermediateBytesMax = 256 * 1024 * 1024

const port = parentPort
if (!port) throw new Error('this module is the main one of a thread')

const waiting = new Map<number, (bytes: Uint8Array | null) => void>()
let reads = 0

const send = (message: FromThread): void => port.postMessage(message)

function readContent(path: string): Promise<Uint8Array | null> {
  const id = (reads += 1)
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send({ type: 'read', id, path })
  })
}

function bashOver(files: TreeFs, asked: Extract<ToThread, { type: 'run' }>): Bash {
  const base = new InMemoryFs(undefined, { maxTotalBytes: asked.tmpBytesMax })
  base.mkdirSync('/tmp', { recursive: true })
  base.writeFileSync('/dev/null', '')
  const workspace = withMounts(
    files,
    asked.mounts.filter(({ at }) => isInside(at)),
  )
  const fs = new MountableFs({
    base,
    mounts: [{ mountPoint: workspacePoint, filesystem: workspace }],
  })
  for (const mount of asked.mounts) if (!isInside(mount.at)) fs.mount(mount.at, readOnly(mount))
  return new Bash({
    fs,
    cwd: asked.cwd,
    env: { ...asked.env },
    executionLimits: {
      maxCommandCount: uncounted,
      maxLoopIterations: uncounted,
      maxAwkIterations: uncounted,
      maxSedIterations: uncounted,
      maxJqIterations: uncounted,
      maxWorkUnits: uncounted,
      maxExecutionTimeMs: 2 ** 31 - 1,
      maxOutputSize: intermediateBytesMax,
    },
  })
}

type Mount = Extract<ToThread, { type: 'run' }>['mounts'][number]

const isInside = (at: string): boolean => at.startsWith(`${workspacePoint}/`)

/** Files are as large as whoever mounts them lets them be. */
const readOnly = ({ directory }: Mount): OverlayFs =>
  new OverlayFs({ root: directory, mountPoint: '/', readOnly: true, maxFileReadSize: 0 })

/** A mount is not made below another one: what stands within the workspace is mounted over the files of the thread. */
function withMounts(files: TreeFs, mounts: readonly Mount[]): IFileSystem {
  if (mounts.length === 0) return files
  const point = ({ at }: Mount): string => at.slice(workspacePoint.length)
  return new MountableFs({
    base: files,
    mounts: mounts.map((mount) => ({ mountPoint: point(mount), filesystem: readOnly(mount) })),
  })
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

async function run(asked: Extract<ToThread, { type: 'run' }>): Promise<void> {
  const files = new TreeFs(asked.files, readContent, asked.filesBytesMax)
  const bash = bashOver(files, asked)
  const { script, stdin } = asked
  const { exitCode, stdout, stderr } = await bash
    .exec(script, { stdin, rawScript: true })
    .catch(endedByReadOnly)
  const changes = [...(await files.changes())]
  const [out, err] = [text(stdout), text(stderr)]
  // The output beyond the limit is counted, and stays here.
  const most = asked.outputBytesMax + 1
  send({
    type: 'done',
    exitCode: exitCode & 255,
    stdout: out.slice(0, most),
    stderr: err.slice(0, most),
    outputBytes: out.length + err.length,
    changes,
  })
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/**
 * A redirection into a mount ends the whole script: just-bash knows no file system that refuses to be written. It is a failure of that command,
 * and no fault of the sandbox.
 */
function endedByReadOnly(error: unknown) {
  const message = describe(error)
  if (!message.startsWith('EROFS')) throw error
  const [, path = ''] = /'(.*)'/.exec(message) ?? []
  const stderr = `bash: ${path}: Read-only file system. The script was ended here.\n`
  return { exitCode: 1, stdout: '', stderr }
}

port.on('message', (message: ToThread) => {
  if (message.type === 'run')
    run(message).catch((error: unknown) => send({ type: 'failed', message: describe(error) }))
  else {
    waiting.get(message.id)?.(message.bytes)
    waiting.delete(message.id)
  }
})

// The first script of a thread costs more than the next one: it compiles what all scripts need.
await new Bash().exec('echo warm | cat > /tmp/warm')
send({ type: 'ready' })
