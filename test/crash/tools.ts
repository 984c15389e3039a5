/** Tools of every effect mode. Each leaves its mark in the world before it does anything else. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EffectMode } from '@signalbox/core'
import { canonical } from '@signalbox/engine'
import { type DefinedTool, defineTool, type ToolContext } from '@signalbox/tools'
import { aboutText, givenPath, keptPath } from './given.ts'
import { z } from 'zod'
import { mark } from './world.ts'

/** Longer than the leases of the tests: who sleeps for this without renewing has lost them. */
export const stallMs = 900
const lingerMs = 4_000
/** Ends by a cancel or a timeout only. */
const endlessMs = 60_000
/** More than a text part may hold inline. */
const bigChars = 40_000

const Input = z.object({ n: z.number() })

type Work = (context: ToolContext & { readonly args: z.output<typeof Input> }) => unknown

const work = (ms: number): Work =>
  async function busy({ signal, attempt }) {
    await sleep(ms, undefined, { signal })
    return `done by attempt ${attempt}`
  }

const broken: Work = () => {
  throw new Error('it broke')
}

/** Blocks the whole process, once: leases lapse although nobody was killed. */
const stall: Work = ({ attempt }) => {
  if (attempt === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs)
  return 'woken'
}

/** Under way for so long that an outage may begin and end meanwhile; its result is too long to stand in the log. */
const linger: Work = async ({ signal }) => {
  await sleep(lingerMs, undefined, { signal })
  return 'l'.repeat(bigChars)
}

/** Reads the file that its run was given, and leaves what it found: half a file would say so. */
const keep: Work = async ({ workspace, args }) => {
  const read = await workspace.readFile(givenPath)
  const written = await workspace.writeFile(
    keptPath(args.n),
    read.ok ? aboutText(read.value) : read.message,
  )
  return written.ok ? 'kept' : written.message
}

/** The tools of a worker that writes to this world. */
export function crashTools(world: string): readonly DefinedTool[] {
  const tool = (name: string, effect: EffectMode, body: Work, queue = 'tools') =>
    defineTool({
      name,
      description: name,
      input: Input,
      effect,
      queue,
      run: (input, context) => {
        const { idempotencyKey: effectId, attempt, runId, callId } = context
        const argsHash = createHash('sha256').update(canonical(input)).digest('hex')
        mark(world, { effectId, attempt, runId, callId, tool: name, argsHash })
        return body({ ...context, args: input })
      },
    })
  return [
    tool('look', 'read', work(60)),
    tool('put', 'idempotent', work(120)),
    tool('pay', 'once', work(120)),
    tool('dump', 'read', () => 'x'.repeat(bigChars)),
    tool('boom', 'read', broken),
    tool('endless', 'read', work(endlessMs), 'endless'),
    tool('stall', 'once', stall),
    tool('linger', 'once', linger),
    tool('keep', 'idempotent', keep),
  ]
}
