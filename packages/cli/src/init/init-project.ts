/** `init`: a project that works, in a folder that may be empty. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readdir } from 'node:fs/promises'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { createTerminal } from '../output/terminal.ts'
import { jsonConfig, tsConfig } from './samples.ts'

const ignored = '.signalbox/'

/** Writes the configuration and says what to type next. @throws Failure */
export async function initProject(dir: string, form: 'ts' | 'json'): Promise<void> {
  const file = `signalbox.config.${form}`
  const taken = (await readdir(dir)).find((name) => /^signalbox\.config\.\w+$/.test(name))
  if (taken !== undefined) throw alreadyThere(taken)
  try {
    await writeFile(join(dir, file), form === 'ts' ? tsConfig : jsonConfig, { flag: 'wx' })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')
      throw alreadyThere(file)
    const message = `${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new Failure('not_writable', message, { exitCode: exitCodes.failed, cause })
  }
  const wrote = [file, ...((await ignore(dir)) ? ['.gitignore'] : [])]
  // The option --json says what to write; what is said about it is for whoever typed it.
  const terminal = createTerminal({ json: false })
  terminal.line(`Wrote ${wrote.join(' and ')}. Next:\n`)
  for (const step of steps(dir, form)) terminal.line(`  ${step}`)
}

const alreadyThere = (file: string): Failure =>
  new Failure(
    'already_there',
    `${file} is there already, and nothing is overwritten. Start it with: npx signalbox dev`,
    { exitCode: exitCodes.conflict },
  )

function steps(dir: string, form: 'ts' | 'json'): readonly string[] {
  const install = isInstalled(dir) || form === 'json' ? [] : ['npm install signalbox']
  const model =
    form === 'ts'
      ? []
      : ['# put your model into signalbox.config.json: its baseURL, model and apiKeyEnv']
  return [
    ...install,
    ...model,
    'npx signalbox dev',
    '# and in another terminal:',
    'npx signalbox run "How many words has this sentence?"',
  ]
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

/** Keeps the data out of git. Answers false if it was kept out already. */
async function ignore(dir: string): Promise<boolean> {
  const file = join(dir, '.gitignore')
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.split(/\r?\n/).some((line) => /^\/?\.signalbox\/?$/.test(line.trim()))) return false
  const start = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${start}${ignored}\n`)
  return true
}
