/** The first minutes of somebody who tries it: real `npm init`, `init`, a run, a server, and what goes wrong between them. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { placeReadyCluster } from '../../server/test/support/ready-cluster.ts'
import { providers } from '../src/init/providers.ts'
import { type Ended, signalbox, start } from './support/command.ts'
import { createFolder } from './support/folder.ts'

const run = promisify(execFile)
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** A folder with the package installed, and files by name. */
async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const { dir, remove } = await createFolder()
  onTestFinished(remove)
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content)
  return dir
}

/** Nothing listens there. */
const nowhere = { PORT: '9' }

describe('init', () => {
  it('makes a project that runs after a real npm init, with the variables of .env', async () => {
    const dir = await folderWith({ '.env': 'FROM_FILE=geheim\nPORT=9\nHOST=127.0.0.1\n' })
    await placeReadyCluster(join(dir, '.signalbox', 'postgres'))
    await run('npm', ['init', '-y'], { cwd: dir })
    // npm 11 writes it, npm 10 does not: the harder of the two.
    const file = join(dir, 'package.json')
    await writeFile(
      file,
      JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), type: 'commonjs' }),
    )
    expect(await signalbox(['init'], { cwd: dir })).toMatchObject({ code: 0, stderr: '' })
    const where = { cwd: dir, env: { HOST: '127.0.0.1' } }
    const { code, stdout, stderr } = await signalbox(['run', 'One two three.'], where)
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Words in your message: 3.'),
    })
    const [line] = stderr.split('\n')
    expect(line).toBe('Read .env: FROM_FILE, PORT; set already, so not taken: HOST')
    expect(stderr).not.toContain('geheim')
  })

  it('writes .ts where package.json makes it a module', async () => {
    const dir = await folderWith({ 'package.json': '{ "type": "module" }' })
    const { stdout } = await signalbox(['init'], { cwd: dir })
    expect(stdout).toMatch(/^Wrote signalbox\.config\.ts and \.gitignore\. Next:\n/)
    expect(existsSync(join(dir, 'signalbox.config.ts'))).toBe(true)
  })

  it('says how to install what is not installed', async () => {
    const dir = await folderWith({})
    const bare = join(dir, 'elsewhere')
    await mkdir(bare)
    const installed = await signalbox(['init'], { cwd: bare })
    expect(installed.stdout).not.toContain('npm install')
    const { dir: other, remove } = await createFolder()
    onTestFinished(remove)
    await run('rm', ['-r', join(other, 'node_modules')])
    const { stdout } = await signalbox(['init'], { cwd: other })
    expect(stdout).toMatch(/^ {2}npm init -y\n {2}npm install \S+\n/m)
  })

  it.each(Object.entries(providers))('--provider %s loads as it stands', async (name, choice) => {
    const { provider, model, apiKeyEnv } = choice.model
    for (const json of [false, true]) {
      const dir = await folderWith({ '.gitignore': '/.signalbox\n' })
      const args = ['init', '--provider', name, ...(json ? ['--json'] : [])]
      const { code, stdout } = await signalbox(args, { cwd: dir })
      expect(code).toBe(0)
      const env = { ...nowhere, ...(apiKeyEnv === undefined ? {} : { [apiKeyEnv]: 'a key' }) }
      const doctor = JSON.parse((await signalbox(['doctor', '--json'], { cwd: dir, env })).stdout)
      expect(doctor).toMatchObject({ ok: true })
      const found = doctor.findings.find(
        (each: { check: string }) => each.check === 'agent assistant',
      )
      expect(found.message).toBe(
        `${provider} ${model}, ${apiKeyEnv === undefined ? 'without a key' : `with the key of ${apiKeyEnv}`}`,
      )
      expect(existsSync(join(dir, '.env.example'))).toBe(apiKeyEnv !== undefined)
      if (apiKeyEnv === undefined) continue
      expect(stdout).toContain(`cp .env.example .env`)
      expect(await readFile(join(dir, '.env.example'), 'utf8')).toMatch(
        new RegExp(`^${apiKeyEnv}=$`, 'm'),
      )
      expect(await readFile(join(dir, '.gitignore'), 'utf8')).toBe('/.signalbox\n.env\n')
    }
  })

  it('names models that the packages of their vendors know', async () => {
    for (const { model } of Object.values(providers)) {
      if (model.provider === 'openai-compatible') continue
      const types = join(modules, '@ai-sdk', model.provider, 'dist', 'index.d.ts')
      expect(await readFile(types, 'utf8')).toContain(`'${model.model}'`)
    }
  })

  it('refuses a provider that it does not know', async () => {
    const dir = await folderWith({})
    const { code, stderr } = await signalbox(['init', '--provider', 'opnai'], { cwd: dir })
    expect(code).toBe(2)
    expect(stderr).toMatch(/Allowed choices are openai, anthropic, google, ollama/)
  })
})

const config = (port: number): string =>
  JSON.stringify({
    agents: { a: { model: { provider: 'anthropic', model: 'm' } } },
    server: { port },
  })

describe('the server of a folder', () => {
  let dir: string
  let remove: () => Promise<void>
  let port: number
  beforeAll(async () => {
    ;({ dir, remove } = await createFolder())
    port = await freePort()
    await writeFile(join(dir, 'signalbox.config.json'), config(port))
    await writeFile(join(dir, '.env'), 'FROM_FILE=geheim\n')
    await placeReadyCluster(join(dir, '.signalbox', 'postgres'))
  })
  afterAll(() => remove?.())

  it('is found by commands wherever it listens, and named to whoever wants its data', async () => {
    const server = start(['serve', '--port', '0'], { cwd: dir })
    const [, url = ''] = await server.prints(/"msg":"serving","url":"([^"]+)"/)
    expect(url).not.toContain(`:${port}`)
    expect(server.printed()).toMatch(/"msg":"Read \.env: FROM_FILE"\}\n/)
    expect(await signalbox(['runs'], { cwd: dir })).toMatchObject({ code: 0, stderr: '' })
    const explicit = [
      await signalbox(['runs', '--url', 'http://127.0.0.1:9'], { cwd: dir }),
      await signalbox(['runs'], { cwd: dir, env: { SIGNALBOX_URL: 'http://127.0.0.1:9' } }),
      await signalbox(['runs'], { cwd: dir, env: nowhere }),
    ]
    for (const { code, stderr } of explicit) {
      expect(code).toBe(3)
      expect(stderr).toContain('No server answers at http://127.0.0.1:9.')
    }

    const second = await start(['dev', '--port', '0'], { cwd: dir }).ended
    expect(second).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Read \.env: FROM_FILE\n/),
    })
    const { pid } = server.child
    expect(second.stderr).toMatch(
      new RegExp(
        `^signalbox: The data directory \\S+ is in use by process ${pid}, which serves at ${url}\\. .* kill ${pid}\\. .*SIGNALBOX_DATA_DIR.*\\(data_dir_in_use\\) \\[embedded_postgres\\]\\n$`,
      ),
    )

    server.child.kill('SIGTERM')
    const { code, stdout } = await server.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain('geheim')
    expect(existsSync(join(dir, '.signalbox', 'server.json'))).toBe(false)
    const after = await signalbox(['runs'], { cwd: dir })
    expect(after.stderr).toContain(`No server answers at http://127.0.0.1:${port}.`)
  })

  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['::1', '[::1]'],
    ['localhost', 'localhost'],
  ])('that listens at HOST=%s is asked at %s', async (host, asked) => {
    const { stderr } = await signalbox(['runs'], { cwd: dir, env: { ...nowhere, HOST: host } })
    expect(stderr).toContain(`No server answers at http://${asked}:9.`)
  })

  it('is not believed to be on another machine', async () => {
    const other = await folderWith({ 'signalbox.config.json': config(9) })
    await mkdir(join(other, '.signalbox'))
    const said = { pid: process.pid, url: 'http://192.0.2.1:7420' }
    await writeFile(join(other, '.signalbox', 'server.json'), JSON.stringify(said))
    const { stderr } = await signalbox(['runs'], { cwd: other })
    expect(stderr).toContain('No server answers at http://127.0.0.1:9.')
  })
})

const expectRefusal = ({ code, stdout, stderr }: Ended, says: RegExp): void => {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(says)
}

const prompt = async (input: string | Uint8Array): Promise<Ended> => {
  const dir = await folderWith({})
  return start(['run', '-'], { cwd: dir, env: nowhere, input }).ended
}

describe('a prompt on standard input', () => {
  it('is what the run is asked', async () => {
    const dir = await folderWith({ 'package.json': '{ "type": "module" }' })
    await placeReadyCluster(join(dir, '.signalbox', 'postgres'))
    await signalbox(['init'], { cwd: dir })
    const input = 'One two\nthree, four.\n'
    const { code, stdout } = await start(['run', '-', '--wait'], { cwd: dir, env: nowhere, input })
      .ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Words in your message: 4.\n' })
  })

  it('must say something, in UTF-8, of a bounded length', async () => {
    const [empty, blank, strange, long] = await Promise.all([
      prompt(''),
      prompt(' \n\n'),
      prompt(Uint8Array.of(0x48, 0xff, 0x0a)),
      prompt('x'.repeat(1024 * 1024 + 1)),
    ])
    for (const each of [empty, blank])
      expectRefusal(each, /^signalbox: Standard input holds no prompt.*\[usage\]\n$/)
    expectRefusal(strange, /^signalbox: Standard input is no text in UTF-8\. \[usage\]\n$/)
    expectRefusal(long, /^signalbox: Standard input holds more than 1048576 bytes.*\[usage\]\n$/)
  })
})

describe('a wrong configuration', () => {
  const throwing = `const none: { eur: number } = JSON.parse('null')\nexport default { agents: none.eur }\n`
  const twice = `import { defineConfig, defineTool, z } from 'signalbox'
const pay = () => defineTool({ name: 'pay', description: 'd', input: z.object({}), run: () => '' })
export default defineConfig({
  agents: { a: { model: { provider: 'anthropic', model: 'm' } } },
  tools: [pay(), pay()],
})
`

  it('ends every command with one line, and shows its stack only when asked', async () => {
    const dir = await folderWith({ 'signalbox.config.mts': throwing })
    const line =
      /^signalbox: signalbox\.config\.mts:2: it throws while it is loaded: .*\[config_unreadable\]\n/
    const plain = await Promise.all(
      ['serve', 'worker', 'dev'].map((command) => signalbox([command], { cwd: dir, env: nowhere })),
    )
    for (const each of plain) {
      expectRefusal(each, line)
      expect(each.stderr.split('\n')).toHaveLength(2)
    }
    for (const command of ['serve', 'dev']) {
      const debugged = await signalbox([command, '--debug'], { cwd: dir, env: nowhere })
      expectRefusal(debugged, line)
      expect(debugged.stderr).toMatch(
        /caused by TypeError: [^]*signalbox\.config\.mts(?:\?edition=\d+)?:2:/,
      )
    }
  })

  it('brings no warnings of Node along: a project that became CommonJS, a name that is given twice', async () => {
    const module = `import { defineConfig } from 'signalbox'\nexport default defineConfig({ agents: {} })\n`
    const commonJs = await folderWith({
      'package.json': '{ "type": "commonjs" }',
      'signalbox.config.ts': module,
    })
    const again = await folderWith({
      'signalbox.config.mts': `const a: number = 1\nconst a: number = 2\n`,
    })
    // In processes of their own: warnings are printed where a process begins.
    const [first, second] = await Promise.all(
      [commonJs, again].map((cwd) => start(['serve'], { cwd, env: nowhere }).ended),
    )
    expect(first?.stderr).toMatch(
      /^signalbox: signalbox\.config\.ts:1: it is a module, but \S+ says "type": "commonjs": rename it to signalbox\.config\.mts, or write "type": "module" there \[config_unreadable\]\n$/,
    )
    expect(second?.stderr).toMatch(
      /^signalbox: signalbox\.config\.mts:2: it cannot be read: Identifier 'a' has already been declared \[config_unreadable\]\n$/,
    )
    expect([first?.code, second?.code]).toEqual([2, 2])
  })

  it('is no mistake of ours: two tools of one name', async () => {
    const dir = await folderWith({ 'signalbox.config.mts': twice })
    for (const command of ['serve', 'dev', 'run Hello.'])
      expectRefusal(
        await signalbox(command.split(' '), { cwd: dir, env: nowhere }),
        /^signalbox: signalbox\.config\.mts: tools\[1\]: there is a tool of the name "pay" already.*\[config_invalid\]\n$/,
      )
  })

  it('may be a file .env that is none', async () => {
    const dir = await folderWith({ '.env': new Uint8Array(70_000).fill(65) })
    expectRefusal(
      await signalbox(['dev'], { cwd: dir }),
      /^signalbox: The file \.env of this folder has more than 65536 bytes.*\[env_unreadable\]\n$/,
    )
  })
})
