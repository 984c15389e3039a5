/**
 * A process of `child-merges.test.ts`: one role over the database of the test, with short leases, so that what a kill leaves is taken over soon. Its
 * agents are scripted: a run at the top starts two, each of which starts ten, and all of them work on the files of one tree.
 */
import { setTimeout } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import type { Script } from '@signalbox/models'
import { parseConfig, type Role, startSignalbox } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'

const Orders = z.object({ role: z.enum(['api', 'orchestrator', 'worker']), dir: z.string() })
const orders = Orders.parse(JSON.parse(process.argv[2] ?? ''))
const role: Role = orders.role

const groups = 2
const perGroup = 10

const dawdle = defineTool({
  name: 'dawdle',
  description: 'Takes a while.',
  effect: 'read',
  input: z.object({ ms: z.number() }),
  run: async ({ ms }, { signal }) => {
    await setTimeout(ms, undefined, { signal })
    return 'Rested.'
  },
})

type Calls = ReturnType<Script> extends infer Turn ? Extract<Turn, { calls?: unknown }> : never

const replace = (path: string, oldText: string, newText: string) => ({
  name: 'str_replace',
  args: { path, oldText, newText },
})
const write = (path: string, content: string) => ({ name: 'write_file', args: { path, content } })
const start = (agent: string, prompt: string) => ({ name: `agent__${agent}`, args: { prompt } })
const rest = (n: number) => ({ name: 'dawdle', args: { ms: 100 + ((n * 137) % 900) } })

/** The number that a run was started with. */
const numberIn = (prompt: Parameters<Script>[0]): number => {
  const asked = prompt.find(({ role: who }) => who === 'user')
  const [part] = asked?.role === 'user' ? asked.parts : []
  return part?.type === 'text' ? Number(part.text) : Number.NaN
}

const slots = Array.from({ length: groups * perGroup }, (_, n) => `slot ${n}: empty;`)

const top: Script = (_, turn): Calls => {
  if (turn === 0)
    return {
      calls: [
        write('doc', `${slots.join('\n')}\n`),
        write('log', '<end>'),
        write('shared', 'nobody'),
      ],
    }
  if (turn === 1)
    return { calls: Array.from({ length: groups }, (_unused, n) => start('group', String(n))) }
  return { text: 'Merged.' }
}

const group: Script = (prompt, turn): Calls => {
  if (turn > 0) return { text: 'All of the group have ended.' }
  const from = numberIn(prompt) * perGroup
  return {
    calls: Array.from({ length: perGroup }, (_, n) => start('leaf', String(from + n))),
  }
}

const leaf: Script = (prompt, turn): Calls => {
  const n = numberIn(prompt)
  switch (turn) {
    case 0:
      return { calls: [replace('doc', `slot ${n}: empty;`, `slot ${n}: begun;`), rest(n)] }
    case 1:
      return { calls: [replace('doc', `slot ${n}: begun;`, `slot ${n}: done;`)] }
    case 2:
      return {
        calls: [
          replace('log', '<end>', `${n}\n<end>`),
          replace('shared', 'nobody', `leaf ${n}`),
          write(`own/${n}`, `by ${n}`),
        ],
      }
    default:
      return { text: `Leaf ${n} is done.` }
  }
}

/** All of them share what the run at the top has. */
const limits = { maxTurns: 1_000, maxToolCalls: 1_000 }

const model = (name: string) => ({ provider: 'scripted', model: name }) as const
const { url, failed } = await startSignalbox({
  loaded: {
    config: parseConfig({
      agents: {
        top: {
          model: model('top'),
          tools: ['workspace', 'agent:group'],
          subagents: { perTurn: groups, perRun: groups, files: 'merge' },
          limits,
        },
        group: {
          model: model('group'),
          tools: ['agent:leaf'],
          subagents: { perTurn: perGroup, perRun: perGroup, files: 'merge' },
          limits,
        },
        leaf: { model: model('leaf'), tools: ['workspace', 'dawdle'] },
      },
      tools: [dawdle],
      scripts: { top, group, leaf },
    }),
    file: import.meta.filename,
    dir: orders.dir,
  },
  env: process.env,
  roles: [role],
  ...(role === 'api' ? { port: 0 } : {}),
  dataDir: orders.dir,
  embedded: startEmbeddedPostgres,
  engine: { leaseMs: 2_000, renewMs: 400, pollMs: 250, redispatchMs: 800 },
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
})
void failed.then(() => process.exit(1))
process.on('disconnect', () => process.exit(0))
process.send?.({ url })
