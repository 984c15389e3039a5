/**
 * Lays the file tree of an image as its Dockerfile says, without an engine: stages are folders, COPY copies, RUN runs for what a
 * machine without containers has (npm). What else is said of the image is read, and given back.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob, relative } from 'node:path'

export interface LaidImage {
  /** The root of the tree. */
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly entrypoint: readonly string[]
}

interface Stage {
  readonly root: string
  workdir: string
  user: string
  entrypoint: readonly string[]
  readonly env: Record<string, string>
}

/** @throws Error for an instruction that is not understood, or a command that fails */
export function layImage(context: string, into: string, environment: NodeJS.ProcessEnv): LaidImage {
  const stages = new Map<string, Stage>()
  let last: Stage | null = null
  for (const line of instructionsOf(join(context, 'Dockerfile'))) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (word === 'FROM') {
      const name = / AS (\S+)$/.exec(rest)?.[1] ?? 'final'
      const root = join(into, name)
      mkdirSync(root, { recursive: true })
      last = { root, workdir: '/', user: 'root', entrypoint: [], env: {} }
      stages.set(name, last)
    } else if (last === null) throw new Error(`${word} comes before FROM`)
    else obey({ word, rest, stage: last, stages, context, environment })
  }
  if (last === null) throw new Error('there is no FROM')
  return last
}

/** Lines that go on are one; comments between them are none. */
const instructionsOf = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.trim() !== '')
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')

interface Order {
  readonly word: string
  readonly rest: string
  readonly stage: Stage
  readonly stages: ReadonlyMap<string, Stage>
  readonly context: string
  readonly environment: NodeJS.ProcessEnv
}

function obey(order: Order): void {
  const { word, rest, stage } = order
  switch (word) {
    case 'WORKDIR':
      stage.workdir = rest
      mkdirSync(join(stage.root, rest), { recursive: true })
      return
    case 'ENV':
      for (const pair of rest.trim().split(/\s+/)) {
        const [name = '', value = ''] = pair.split('=', 2)
        stage.env[name] = value
      }
      return
    case 'COPY':
      return copy(order)
    case 'RUN':
      return run(order)
    case 'USER':
      stage.user = rest
      return
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest)
      return
    case 'EXPOSE':
    case 'CMD':
      return
    default:
      throw new Error(`${word} is not understood`)
  }
}

function copy({ rest, stage, stages, context }: Order): void {
  const [, from, source = '', target = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? []
  const origin = from === undefined ? context : stages.get(from)?.root
  if (origin === undefined) throw new Error(`there is no stage ${from}`)
  const ignored = from === undefined ? ignoredIn(context) : () => false
  cpSync(
    join(origin, source),
    join(stage.root, target.startsWith('/') ? target : join(stage.workdir, target)),
    {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !ignored(relative(origin, path)),
    },
  )
}

function ignoredIn(context: string): (path: string) => boolean {
  const patterns = readFileSync(join(context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return (path) => path !== '' && patterns.some((pattern) => matchesGlob(path, pattern))
}

/** Commands of npm are run. Those that make and give away folders are for the users of an image. */
function run({ rest, stage, environment }: Order): void {
  if (/^mkdir -p (\/\S+) && chown node:node \1$/.test(rest)) return
  if (!rest.startsWith('npm ci ')) throw new Error(`RUN ${rest} is not understood`)
  const [command = '', ...args] = rest.split(' ')
  const { status, stdout, stderr } = spawnSync(command, [...args, '--prefer-offline'], {
    cwd: join(stage.root, stage.workdir),
    env: environment,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`RUN ${rest}: ${status}\n${stdout}${stderr}`)
}
