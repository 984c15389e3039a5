import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Runs a script to its own end; answers what it sent, its exit code and its stderr. */
export async function reportsOf(
  script: URL,
  argument: unknown,
): Promise<{ sent: unknown[]; code: unknown; stderr: string }> {
  const child = fork(fileURLToPath(script), [JSON.stringify(argument)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const sent: unknown[] = []
  let stderr = ''
  child.on('message', (message) => sent.push(message))
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
  const [code] = await once(child, 'close')
  return { sent, code, stderr }
}
