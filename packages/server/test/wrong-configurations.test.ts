/**
 * What newcomers write wrong, as files in a folder, loaded as a server loads them. Each is told in one sentence of ours that
 * names the file, the line where there is one, the tool and the field, and what would be right.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadConfig } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Closers } from '../src/compose/closers.ts'
import { openAgents } from '../src/compose/open-agents.ts'
import { configErrorOf } from './support/mistakes.ts'
import { mistakes, type Mistake, secret } from './support/wrong-configurations.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const cli = fileURLToPath(new URL('../../cli', import.meta.url))

let base: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'signalbox-wrong-'))
  await chmod(base, 0o755)
  await mkdir(join(base, 'node_modules'))
  await symlink(cli, join(base, 'node_modules', 'signalbox'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

async function folderWith(name: string, files: Mistake['files']): Promise<string> {
  const dir = join(base, name.replaceAll(/\W+/g, '-'))
  const all = { 'package.json': '{ "type": "module" }', ...files }
  for (const [file, content] of Object.entries(all)) {
    await mkdir(dirname(join(dir, file)), { recursive: true })
    if (file.endsWith('/')) await mkdir(join(dir, file))
    else await writeFile(join(dir, file), content)
  }
  return dir
}

/** As a process that starts in the folder. */
async function start(dir: string): Promise<void> {
  const loaded = await loadConfig({ cwd: dir, env: {} })
  const closers = new Closers(log)
  try {
    await openAgents(loaded, { env: {}, log }, closers)
  } finally {
    await closers.close()
  }
}

/** Words of libraries, and of the machinery of Node. */
const foreign =
  /zod|received|invalid input|invalid option|too (?:small|big)|\n|^ +at |node:internal|compileSource/i

describe('a wrong configuration is told in one sentence:', () => {
  it.each(mistakes)('$name', async ({ name, files, says, code = 'config_invalid' }) => {
    const dir = await folderWith(name, files)
    const { message, ...error } = await configErrorOf(() => start(dir))
    expect(message).toMatch(says)
    expect(message).not.toMatch(foreign)
    expect(message).not.toContain(secret)
    expect(error.code).toBe(code)
  })

  it('at least 28 kinds are', () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(28)
  })

  it('a file that this user may not read', async () => {
    const dir = await folderWith('not readable', { 'signalbox.config.json': '{}' })
    await chmod(join(dir, 'signalbox.config.json'), 0o000)
    // Root may read everything, so somebody else is asked.
    const script = `
      const { loadConfig } = await import(${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)})
      if (process.getuid() === 0) process.setuid(65534)
      await loadConfig({ cwd: ${JSON.stringify(dir)}, env: {} }).catch(({ code, message }) => console.log(code, message))`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--no-warnings',
      '--input-type=module',
      '--eval',
      script,
    ])
    expect(stdout).toBe(
      'config_unreadable signalbox.config.json cannot be read: this user may not read it\n',
    )
  })
})

describe('a configuration that editors write in their own way is read:', () => {
  it('JSON behind a mark of the byte order', async () => {
    const config = { agents: { a: { model: { provider: 'anthropic', model: 'm' } } } }
    const text = `\uFEFF${JSON.stringify(config)}`
    const dir = await folderWith('bom', { 'signalbox.config.json': text })
    expect((await loadConfig({ cwd: dir, env: {} })).config.agents).toHaveProperty('a')
  })

  it('a module in a project of CommonJS, by its ending', async () => {
    const files = {
      'package.json': '{ "type": "commonjs" }',
      'signalbox.config.mts': `import { defineConfig } from 'signalbox'
const model: { provider: 'anthropic'; model: string } = { provider: 'anthropic', model: 'm' }
export default defineConfig({ agents: { a: { model } } })`,
    }
    const dir = await folderWith('mts', files)
    const { file } = await loadConfig({ cwd: dir, env: {} })
    expect(file).toBe(join(dir, 'signalbox.config.mts'))
  })
})
