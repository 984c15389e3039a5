import { setTimeout as sleep } from 'node:timers/promises'

import { isPostmasterOf } from './process-facts.ts'

const pollMs = 15
const immediateMs = 5000

/**
 * Stops the postmaster `pid` of the cluster and waits until it is gone: fast shutdown, after `fastMs` immediate, after
 * five more seconds by force. Its word is taken for nothing: before each signal the pid is looked up again, for it may
 * belong to another process by then.
 */
export async function stopPostmaster(pid: number, cluster: string, fastMs: number): Promise<void> {
  const steps = [
    ['SIGINT', fastMs],
    ['SIGQUIT', immediateMs],
    ['SIGKILL', immediateMs],
  ] as const
  for (const [signal, waitMs] of steps) {
    if (!(await isPostmasterOf(pid, cluster))) return
    sendSignal(pid, signal)
    if (await isGone(pid, cluster, waitMs)) return
  }
}

/** Ends the postmaster as a power cut would: nothing is written, its backends notice and go. */
export async function killPostmaster(pid: number, cluster: string): Promise<void> {
  if (!(await isPostmasterOf(pid, cluster))) return
  sendSignal(pid, 'SIGKILL')
  await isGone(pid, cluster, immediateMs)
}

async function isGone(pid: number, cluster: string, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs
  while (await isPostmasterOf(pid, cluster)) {
    if (Date.now() >= deadline) return false
    await sleep(pollMs)
  }
  return true
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone between the look and the signal: just what was wanted.
  }
}
