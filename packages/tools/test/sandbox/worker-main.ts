/**
 * A worker, mostly to be killed: runs one script, and says when it starts it and when that has begun: by its output, or in `virtual`, whose
 * output comes at the end, by reading a file. Arguments: a directory, the script, the adapter; of `bubblewrap` who runs commands, if
 * that is not the default, and of `virtual` the mebibytes of its heap.
 */
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { VirtualSandboxes } from '../../src/sandbox/virtual/virtual-sandboxes.ts'

const [, , directory = '', script = '', use = 'bubblewrap', special = ''] = process.argv
const mebibyte = 1024 * 1024
const users = special === '' ? {} : { users: Number(special) }
const sandboxes =
  use === 'virtual'
    ? new VirtualSandboxes({ memoryBytes: Number(special || 256) * mebibyte })
    : new BubblewrapSandboxes({ directory, concurrency: 1, ...users })
process.stdout.write('starting\n')
const probe = { path: 'probe', bytes: 1, executable: false, state: 'x' }
const sandbox = await sandboxes.open({
  tenantId: 'tenant',
  threadId: 'thread',
  runId: 'run',
  callId: 'call',
  files: {
    list: async () => (use === 'virtual' ? [probe] : []),
    read: async () => {
      process.stdout.write('begun\n')
      return Buffer.from('x')
    },
    take: async () => null,
  },
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
process.stdout.write('opened\n')
await sandbox.exec({ script, timeoutMs: 60_000 }, never.signal, () => {
  process.stdout.write('begun\n')
})
// A worker that is not killed: it has nothing else to do by now.
await sandbox.close()
await sandboxes.close()
process.stdout.write('closed\n')
