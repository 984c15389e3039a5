/**
 * `node test/simulation/mutate.ts [--seeds 10000]`: one mutation at a time on a copy of core, engine and the simulation; the
 * simulation must turn red. Exit 1 when a mutation survives.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, mutations } from './mutations.ts'

const root = join(import.meta.dirname, '../..')
const copied = ['packages/core', 'packages/engine', 'test/invariants', 'test/simulation']
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    /** Only mutations whose name holds this. */
    only: { type: 'string', default: '' },
  },
})

/** A tree in which `@signalbox/*` is the copy and everything else is the installed packages. */
async function copyTree(): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'signalbox-mutant-'))
  const modules = join(root, 'node_modules')
  await mkdir(join(tree, 'node_modules/@signalbox'), { recursive: true })
  for (const name of await readdir(modules))
    if (name !== '@signalbox' && !name.startsWith('.'))
      await symlink(join(modules, name), join(tree, 'node_modules', name))
  for (const folder of copied) {
    await cp(join(root, folder), join(tree, folder), {
      recursive: true,
      filter: (path) => !path.includes('/dist') && !path.includes('/node_modules'),
    })
  }
  await writeFile(join(tree, 'package.json'), '{ "type": "module" }')
  for (const name of ['core', 'engine'])
    await symlink(join(tree, 'packages', name), join(tree, 'node_modules/@signalbox', name))
  return tree
}

async function apply(tree: string, { file, line, becomes, name }: Mutation): Promise<void> {
  const path = join(tree, file)
  const text = await readFile(path, 'utf8')
  if (text.split(line).length !== 2) throw new Error(`"${name}": its line is not in ${file} once`)
  await writeFile(
    path,
    text.replace(line, () => becomes),
  )
}

interface Verdict {
  readonly name: string
  readonly caught: boolean
  readonly said: string
}

async function play(mutation: Mutation): Promise<Verdict> {
  const tree = await copyTree()
  try {
    await apply(tree, mutation)
    const main = join(tree, 'test/simulation/main.ts')
    const args = [main, '--seeds', values.seeds, '--lanes', '1', '--stop']
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        args,
        { cwd: tree, maxBuffer: 1 << 26 },
        (error, stdout, stderr) => {
          const said = stdout.split('\n').find((each) => each.startsWith('seed ')) ?? ''
          const broken = error !== null && said === '' ? stderr.slice(-500) : ''
          resolve({ name: mutation.name, caught: said !== '', said: said || broken })
        },
      )
    })
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}

const waiting = mutations.filter((mutation) => mutation.name.includes(values.only))
const verdicts: Verdict[] = []
await Promise.all(
  Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const verdict = await play(next)
      verdicts.push(verdict)
      console.log(
        `${verdict.caught ? 'caught  ' : 'SURVIVED'} ${verdict.name}: ${verdict.said.slice(0, 160)}`,
      )
    }
  }),
)
const survived = verdicts.filter((verdict) => !verdict.caught).length
console.log(`${verdicts.length - survived} passed, ${survived} failed`)
process.exitCode = survived > 0 ? 1 : 0
