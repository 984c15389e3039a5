/** A worker to be killed: runs one script in bubblewrap, and says when it has begun. Arguments: a directory, the script. */
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'

const [, , directory = '', script = ''] = process.argv
const mebibyte = 1024 * 1024
const sandboxes = new BubblewrapSandboxes({ directory, concurrency: 1 })
const sandbox = await sandboxes.open({
  tenantId: 'tenant',
  threadId: 'thread',
  runId: 'run',
  callId: 'call',
  files: { list: async () => [], read: async () => null, take: async () => null },
  mounts: [],
  limits: {
    wallMs: 60_000,
    cpuMs: 60_000,
    memoryBytes: 256 * mebibyte,
    processes: 64,
    fileBytes: mebibyte,
    tmpBytes: mebibyte,
    outputBytes: mebibyte,
    openFiles: 64,
  },
  network: { kind: 'none' },
  env: {},
})
const never = new AbortController()
await sandbox.exec({ script, timeoutMs: 60_000 }, never.signal, () => {
  process.stdout.write('begun\n')
})
