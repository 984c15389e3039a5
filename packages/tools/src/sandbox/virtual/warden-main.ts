/**
 * The process of a virtual sandbox: starts the thread that runs the script, carries messages between it and the owner in the
 * worker, and ends when its owner does.
 *
 * P1 It ends with its channel, whatever its thread is doing: a script that never waits holds up a thread, not this one.
 * P2 What a service sends to all of its processes does not end it: the worker decides when.
 *
 * It imports nothing but Node. Argument: megabytes of heap.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

const main = new URL(`./thread-main${extname(import.meta.url)}`, import.meta.url)

const tell = (message: unknown): void => {
  if (process.connected) process.send?.(message)
}

// Not `exit`, which waits for the thread.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.once('disconnect', end)
// A channel that ended while this module was being loaded ended with nobody to hear of it.
if (!process.connected) end()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const thread = new Worker(main, {
  env: {},
  argv: [],
  execArgv: [],
  stdin: false,
  stdout: true,
  stderr: true,
  resourceLimits: { maxOldGenerationSizeMb: Number(process.argv[2]), stackSizeMb: 4 },
})
// The output of just-bash and of Node itself is read and dropped: a script answers by messages.
thread.stdout.resume()
thread.stderr.resume()
thread.on('message', tell)
thread.once('error', (error) => {
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  tell(isOutOfMemory ? { type: 'memory' } : { type: 'failed', message: error.message })
})
thread.once('exit', () => tell({ type: 'failed', message: 'its thread ended' }))
process.on('message', (message) => thread.postMessage(message, []))
