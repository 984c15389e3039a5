/**
 * `node test/simulation/mutate.ts [--seeds 10000]`: one mutation at a time on a copy of core, engine and the simulation; the
 * simulation must turn red. Exit 1 when a mutation survives.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { allMutations } from './all-mutations.ts'
import type { Mutation } from './mutations.ts'

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

/** The first seed that failed in `tree`, as the simulation says it; null if none did. */
function firstFailure(
  tree: string,
  seeds: readonly string[],
): Promise<{ readonly line: string | null; readonly broken: string }> {
  const args = [join(tree, 'test/simulation/main.ts'), ...seeds, '--lanes', '1', '--stop']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const line = stdout.split('\n').find((each) => each.startsWith('seed ')) ?? null
      resolve({ line, broken: error !== null && line === null ? stderr.slice(-500) : '' })
    })
  })
}

/** What each seed says of the code as it is. */
const controls = new Map<string, Promise<boolean>>()

/** A seed that fails without the mutation proves nothing of it. */
function isGreenUnchanged(seed: string): Promise<boolean> {
  const known = controls.get(seed)
  if (known) return known
  const asked = firstFailure(root, ['--from', seed, '--seeds', '1']).then(
    ({ line, broken }) => line === null && broken === '',
  )
  controls.set(seed, asked)
  return asked
}

async function play(mutation: Mutation): Promise<Verdict> {
  const { name } = mutation
  const from = String(mutation.from ?? 1)
  const tree = await copyTree()
  try {
    await apply(tree, mutation)
    const { line, broken } = await firstFailure(tree, ['--from', from, '--seeds', values.seeds])
    if (line === null) return { name, caught: false, said: broken }
    const seed = /^seed (\d+)/.exec(line)?.[1] ?? ''
    if (await isGreenUnchanged(seed)) return { name, caught: true, said: line }
    return { name, caught: false, said: `seed ${seed} fails without it, too` }
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}

const waiting = allMutations.filter(({ name }) => name.includes(values.only))
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
