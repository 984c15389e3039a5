/**
 * A process that runs one command after the other, for `runner.ts`: it has loaded what commands are made of. A command must
 * leave nothing open: in a process of its own that would keep the process from ending.
 */
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommandLine } from '../../src/command-line.ts'
import { quietWarnings } from '../../src/quiet-warnings.ts'
import type { Answer, Order } from './runner.ts'

/** So long after its end a command may still be closing. */
const closingMsMax = 5_000

quietWarnings()
const said = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    for (const told of rest) if (typeof told === 'function') process.nextTick(told)
    return true
  }

/** What keeps this process alive, looked at when nothing of this module does but what always does. */
async function held(): Promise<readonly string[]> {
  await sleep(0)
  return process.getActiveResourcesInfo().toSorted()
}

/** Listened to for good: what is always held holds this. */
process.on('message', (order: Order) => void obey(order).then((answer) => process.send?.(answer)))
process.once('disconnect', () => process.exit())
const always = await held()

/** What the command has left, once it has had time to close. */
async function left(): Promise<readonly string[]> {
  for (let waited = 1; ; waited *= 2) {
    const rest = [...(await held())]
    for (const name of always) if (rest.includes(name)) rest.splice(rest.indexOf(name), 1)
    if (rest.length === 0 || waited > closingMsMax) return rest
    await sleep(waited)
  }
}

async function obey({ args, cwd, env }: Order): Promise<Answer> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  Object.assign(said, { stdout: '', stderr: '' })
  process.exitCode = undefined
  const code = await runCommandLine(args)
  const open = await left()
  return { code, ...said, open }
}

process.send?.('ready')
