/** `init`: a project that works, in a folder that may be empty. */
import { access, appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageTypeOf } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { createTerminal } from '../output/terminal.ts'
import { type InitProvider, type ProviderChoice, providers } from './providers.ts'
import { envExample, jsonConfig, tsConfig } from './samples.ts'

export interface InitOptions {
  readonly form: 'ts' | 'json'
  /** Null: a script plays the model; in JSON, which holds no scripts, a model of this machine. */
  readonly provider: InitProvider | null
}

/** Writes the configuration and says what to type next. @throws Failure */
export async function initProject(dir: string, { form, provider }: InitOptions): Promise<void> {
  const taken = (await readdir(dir)).find((name) => /^signalbox\.config\.\w+$/.test(name))
  if (taken !== undefined) throw alreadyThere(taken)
  const choice = provider === null ? null : providers[provider]
  const file = `signalbox.config.${form === 'json' ? 'json' : await moduleEnding(dir)}`
  const text = form === 'json' ? jsonConfig(choice ?? providers.ollama) : tsConfig(choice)
  if (!(await writeNew(dir, file, text))) throw alreadyThere(file)
  const wrote = [file]
  const apiKeyEnv = choice?.model.apiKeyEnv
  if (apiKeyEnv !== undefined && choice?.keysAt)
    if (await writeNew(dir, '.env.example', envExample(apiKeyEnv, choice.keysAt)))
      wrote.push('.env.example')
  if (await ignore(dir, ['.signalbox/', ...(apiKeyEnv === undefined ? [] : ['.env'])]))
    wrote.push('.gitignore')
  // The option --json says what to write; what is said about it is for whoever typed it.
  const terminal = createTerminal({ json: false })
  terminal.line(`Wrote ${listed(wrote)}. Next:\n`)
  for (const step of await steps(dir, form, choice)) terminal.line(`  ${step}`)
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** `.mts` is a module everywhere; `.ts` is one only where `package.json` says so, which that of `npm init` does not. */
const moduleEnding = async (dir: string): Promise<'ts' | 'mts'> =>
  (await packageTypeOf(dir))?.type === 'module' ? 'ts' : 'mts'

/** Answers false if the file is there. @throws Failure */
async function writeNew(dir: string, file: string, text: string): Promise<boolean> {
  try {
    await writeFile(join(dir, file), text, { flag: 'wx' })
    return true
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false
    throw notWritable(file, cause)
  }
}

const notWritable = (file: string, cause: unknown): Failure => {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `${file} cannot be written: ${why}`
  return new Failure('not_writable', message, { exitCode: exitCodes.failed, cause })
}

const alreadyThere = (file: string): Failure =>
  new Failure(
    'already_there',
    `${file} is there already, and nothing is overwritten. Start it with: npx signalbox dev`,
    { exitCode: exitCodes.conflict },
  )

async function steps(
  dir: string,
  form: 'ts' | 'json',
  choice: ProviderChoice | null,
): Promise<readonly string[]> {
  const used = form === 'json' ? (choice ?? providers.ollama) : choice
  return [
    ...(await install(dir)),
    ...(used?.before ?? []),
    ...(used?.model.apiKeyEnv === undefined
      ? []
      : [`cp .env.example .env          # and put your key behind ${used.model.apiKeyEnv}=`]),
    ...(used === null ? [] : ['npx signalbox doctor          # is everything there?']),
    'npx signalbox run "How many words has this sentence?"',
    'npx signalbox dev             # serves it, for programs and for more commands',
  ]
}

/** Nothing where the package is installed, as it is for whoever types `npx signalbox` in a project that has it. */
async function install(dir: string): Promise<readonly string[]> {
  if (isInstalled(dir)) return []
  const hasPackage = await access(join(dir, 'package.json')).then(
    () => true,
    () => false,
  )
  return [...(hasPackage ? [] : ['npm init -y']), `npm install ${await source()}`]
}

/** A clone is installed from where it is; what npm has fetched is fetched again by its name. */
async function source(): Promise<string> {
  const own = fileURLToPath(new URL('../..', import.meta.url))
  const isClone = await access(join(own, 'src', 'main.ts')).then(
    () => true,
    () => false,
  )
  return isClone ? own.replace(/[\\/]$/, '') : 'signalbox'
}

/** Does `import … from 'signalbox'` find anything from there? */
function isInstalled(dir: string): boolean {
  try {
    createRequire(join(dir, 'signalbox.config.ts')).resolve('signalbox')
    return true
  } catch {
    return false
  }
}

/** Keeps data and keys out of git. Answers false if they were kept out already. @throws Failure */
async function ignore(dir: string, wanted: readonly string[]): Promise<boolean> {
  const file = join(dir, '.gitignore')
  const text = await readFile(file, 'utf8').catch(() => '')
  const has = new Set(text.split(/\r?\n/).map((line) => line.trim().replaceAll(/^\/|\/$/g, '')))
  const missing = wanted.filter((name) => !has.has(name.replace(/\/$/, '')))
  if (missing.length === 0) return false
  const start = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${start}${missing.join('\n')}\n`).catch((cause: unknown) => {
    throw notWritable('.gitignore', cause)
  })
  return true
}
