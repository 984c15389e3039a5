/**
 * One run of bwrap: started, watched, ended.
 *
 * R1 It settles when the namespace of its processes is gone: when its first process is, which the kernel lets go only when no
 *    other is left. bwrap itself may end before: its end kills that process, and does not wait for it.
 * R2 To end it, that first process is killed: the kernel kills all others with it, whatever they are waiting for.
 * R3 bwrap may be ended by somebody else, at any moment: what it leaves is ended, known or not, before the run settles.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { descriptors } from './descriptors.ts'
import { endMarked, kill } from './marked.ts'
import { collectedCpuMs, isRunning, startOf } from './process-facts.ts'

/** The command that is run. */
export interface BwrapRun {
  /** Stands in the command. */
  readonly mark: string
  readonly command: readonly string[]
  /** The user that runs it; null: the user of this process. */
  readonly uid: number | null
  /** Files by which the command enters its control groups. */
  readonly groups: readonly string[]
  readonly options: readonly string[]
  readonly seccomp: Uint8Array
  readonly stdin: string
  /** Named pipes. */
  readonly stdout: string
  readonly stderr: string
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void
}

/** The end of a run. `exitCode` null: bwrap did not get as far, or was ended. */
export interface BwrapEnd {
  readonly exitCode: number | null
  readonly cpuMs: number | null
  /** It was never started. */
  readonly error: Error | null
}

/** A run under way. */
export interface RunningBwrap {
  readonly ended: Promise<BwrapEnd>
  /** The first process of its namespace; null: it is not there yet, or not any more. */
  readonly first: () => number | null
  /** Ends it, whatever it does. */
  readonly kill: () => void
}

/** The two documents that bwrap writes about itself, and others that newer ones may. */
const Status = z.object({
  'child-pid': z.number().int().optional(),
  'exit-code': z.number().int().optional(),
})

/** How long a namespace may take to be there before it is ended without knowing its first process. */
const setUpMsMax = 1000
const pollMs = 1

/** Starts bwrap. Throws if its pipes cannot be opened; whatever happens later is in `ended`. */
export function runBwrap(run: BwrapRun): RunningBwrap {
  const groups = run.groups.map((path) => openSync(path, constants.O_WRONLY))
  const stdout = openPipe(run.stdout)
  const stderr = openPipe(run.stderr)
  const [program = '', ...args] = run.command
  const child = spawn(program, args, {
    // Without further groups of ours as well.
    ...(run.uid === null ? {} : { uid: run.uid, gid: run.uid }),
    // A command that is given nothing may open its input again, which it could not with a socket.
    stdio: [
      run.stdin === '' ? 'ignore' : 'pipe',
      stdout.write,
      stderr.write,
      ...(['pipe', 'pipe', 'pipe', 'pipe'] as const),
      ...groups,
    ],
    // Everything in here can be read in `/proc/1/environ` of the sandbox.
    env: {},
    cwd: '/',
  })
  const started = startedOf(child)
  const outputs = [
    readAll(stdout.read, (chunk) => run.onOutput('stdout', chunk)),
    readAll(stderr.read, (chunk) => run.onOutput('stderr', chunk)),
  ]
  for (const fd of [stdout.write, stderr.write, ...groups]) closeSync(fd)
  const status = watchStatus(child)
  feed(child.stdin, run.stdin)
  // Ours for as long as this process lives.
  streamAt(child, descriptors.alive).on('error', () => undefined)
  feed(streamAt(child, descriptors.seccomp), run.seccomp)
  feed(streamAt(child, descriptors.args), run.options.map((option) => `${option}\0`).join(''))
  return {
    first: () => (isThere(status) ? status.pid : null),
    kill: () => void end(child, status, run.mark),
    ended: settle({ mark: run.mark, started, status, outputs }),
  }
}

interface Watched {
  /** The first process of the namespace, and when it started: a number alone may become another process's. */
  pid: number | null
  started: string | null
  exitCode: number | null
  cpuMs: number | null
  /** Resolves when nothing more will be said. */
  readonly closed: Promise<void>
}

interface Parts {
  readonly mark: string
  readonly started: Promise<Error | null>
  readonly status: Watched
  readonly outputs: readonly Promise<void>[]
}

async function settle({ mark, started, status, outputs }: Parts): Promise<BwrapEnd> {
  const error = await started
  if (error) return { exitCode: null, cpuMs: null, error }
  // The kernel is killing now what the command left in the background. Where bwrap ended before its time, nobody else does that.
  if (status.pid === null) await endMarked(mark)
  while (isThere(status)) {
    if (status.pid !== null) kill(status.pid, status.started)
    await sleep(pollMs)
  }
  await Promise.all([...outputs, status.closed])
  const { exitCode, cpuMs } = status
  return { exitCode, cpuMs, error: null }
}

/** Does the first process of the namespace run, and no other one of its number? */
const isThere = ({ pid, started }: Watched): boolean =>
  pid !== null && isRunning(pid) && startOf(pid) === started

/** Resolves when the process has ended, with an error if it never began. */
function startedOf(child: ChildProcess): Promise<Error | null> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error))
    child.once('exit', () => resolve(null))
  })
}

function watchStatus(child: ChildProcess): Watched {
  const stream = streamAt(child, descriptors.status)
  const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()))
  const watched: Watched = { pid: null, started: null, exitCode: null, cpuMs: null, closed }
  let text = ''
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const said = Status.safeParse(parse(line))
      if (!said.success) continue
      const pid = said.data['child-pid']
      if (pid !== undefined) {
        watched.pid = pid
        watched.started = startOf(pid)
      }
      const code = said.data['exit-code']
      if (code === undefined) continue
      watched.exitCode = code
      // The first process has collected the command by now, and is about to end itself.
      watched.cpuMs = watched.pid === null ? null : collectedCpuMs(watched.pid)
    }
  })
  return watched
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

async function end(child: ChildProcess, status: Watched, mark: string): Promise<void> {
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  const deadline = performance.now() + setUpMsMax
  while (!isOver() && status.pid === null && performance.now() < deadline) await sleep(pollMs)
  if (!isOver() && status.pid !== null) kill(status.pid, status.started)
  const patience = performance.now() + setUpMsMax
  while (!isOver() && performance.now() < patience) await sleep(pollMs)
  // bwrap alone must not go: what it has not let begin yet would wait for it for ever.
  if (!isOver()) await endMarked(mark)
  if (!isOver()) child.kill('SIGKILL')
}

interface Pipe {
  readonly read: number
  readonly write: number
}

/** A pipe with both ends open: the one for reading never blocks, the one for a program does. None of this waits for anybody. */
function openPipe(path: string): Pipe {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const write = openSync(path, constants.O_WRONLY)
  return { read, write }
}

/** Resolves when nobody can write to it any more. */
function readAll(fd: number, take: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve) => {
    // From here on the descriptor is the socket's, which closes it.
    const socket = new Socket({ fd, readable: true, writable: false })
    socket.on('data', take)
    socket.on('error', () => undefined)
    socket.once('close', () => resolve())
  })
}

function streamAt(child: ChildProcess, fd: number): Socket {
  const stream = child.stdio[fd]
  if (!(stream instanceof Socket)) throw new Error(`descriptor ${fd} is no pipe`)
  return stream
}

/** Writes all of it and closes. Who is not read from any more has no fault of ours. */
function feed(stream: Writable | null, content: string | Uint8Array): void {
  stream?.on('error', () => undefined)
  stream?.end(content)
}
