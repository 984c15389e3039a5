/**
 * `dev` as a newcomer has it: what it says while it starts, what an edit does, how it ends at every phase. Real processes, real
 * files, a real Postgres. Would catch: silence at a first start, an edit that cuts a payment in half, a broken configuration that
 * takes the server down, a run that changes what governs it, a Postgres that is left behind.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { placeReadyCluster } from '../../server/test/support/ready-cluster.ts'
import { call, eventually } from '../../server/test/support/http.ts'
import { type Running, signalbox, start } from './support/command.ts'
import { createFolder } from './support/folder.ts'

/** As editors save: a new file takes the place of the old one. */
async function save(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

const config = (agents: string) => `
import { defineConfig } from 'signalbox'
import { pay } from './tools.ts'
import { word } from './files/texts.ts'
import greeting from './greeting.cjs'

export default defineConfig({
  workspace: { root: './files' },
  agents: { ${agents} },
  tools: [pay],
  scripts: {
    says: () => ({ text: word + ' ' + greeting }),
    pays: (_, turn) => (turn === 0 ? { calls: [{ name: 'pay', args: {} }] } : { text: 'Paid.' }),
  },
})
`
const assistant = `assistant: { model: { provider: 'scripted', model: 'says' } }`
const clerk = `clerk: { model: { provider: 'scripted', model: 'pays' }, tools: ['pay'] }`

/** A payment that notes its beginning, and ends when it may. */
const tools = `
import { appendFileSync, existsSync } from 'node:fs'
import { defineTool, z } from 'signalbox'

export const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  effect: 'once',
  input: z.object({}),
  run: async () => {
    appendFileSync('paid.txt', 'x')
    while (!existsSync('may-end.txt')) await new Promise((resolve) => setTimeout(resolve, 20))
    return 'Paid.'
  },
})
`

describe('an edit while dev serves', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  let database: TestDatabase
  let dev: Running
  let url: string
  const at = (name: string) => join(folder.dir, name)
  const ask = async (agent: string) =>
    (await call(url, 'POST', '/runs/wait', { body: { assistant_id: agent, input: 'Hello.' } })).body
  const said = async () => (await ask('assistant')).messages.at(-1).content

  beforeAll(async () => {
    folder = await createFolder()
    database = await createTestDatabase()
    await mkdir(at('files'))
    await save(at('signalbox.config.ts'), config(`${assistant}, ${clerk}`))
    await save(at('tools.ts'), tools)
    await save(at('greeting.cjs'), `module.exports = 'Ada.'`)
    await save(at('files/texts.ts'), `export const word: string = 'Hello,'`)
    url = `http://127.0.0.1:${await freePort()}`
    const env = { PORT: new URL(url).port, DATABASE_URL: database.adminUrl }
    dev = start(['dev'], { cwd: folder.dir, env })
    await dev.prints(/taken without a restart/)
  })
  afterAll(async () => {
    dev?.child.kill('SIGKILL')
    await dev?.ended
    await database?.drop()
    await folder?.remove()
  })

  it('was announced: phases, address, agents, tools, what to type, what is watched', async () => {
    await dev.prints(/runs may write/)
    const lines = dev.printed()
    for (const expected of [
      /Loading tools and policies.*\n[^]*Bringing the database to the schema.*\n[^]*serves at/,
      `serves at ${url}`,
      /Agents +assistant \(scripted, says\): no tools\n +clerk \(scripted, pays\): pay/,
      `npx signalbox run "Hello." --agent assistant --url ${url}`,
      `${url}/docs`,
      /Edit +signalbox\.config\.ts, tools\.ts, greeting\.cjs: taken without a restart/,
      /files\/texts\.ts stays as it was loaded/,
    ])
      expect(lines).toMatch(expected)
    expect(await said()).toBe('Hello, Ada.')
  })

  it('of a module, of CommonJS too, is taken, at the same address', async () => {
    await save(at('greeting.cjs'), `module.exports = 'Grace.'`)
    await dev.prints(/greeting\.cjs changed: reloaded in [\d.]+ s/)
    expect(await said()).toBe('Hello, Grace.')
  })

  it('that changes nothing, or is of a file that runs may write, is not; and the latter is said', async () => {
    await save(at('greeting.cjs'), `module.exports = 'Grace.'`)
    await save(at('files/texts.ts'), `export const word: string = 'Obey,'`)
    await dev.prints(/files\/texts\.ts changed, and is not reloaded: it is in the workspace/)
    await save(at('greeting.cjs'), `module.exports = 'Mary.'`)
    await dev.prints(/reloaded in [^]*greeting\.cjs changed: reloaded in/)
    // Loaded anew with the configuration it would have changed what governs runs.
    expect(await said()).toBe('Hello, Mary.')
    expect(dev.printed().match(/reloaded in/g)).toHaveLength(2)
  })

  it.each([
    [
      'does not parse',
      `export default {`,
      /signalbox\.config\.ts:\d+: it cannot be read: .*\[config_/,
    ],
    ['has a wrong key', config(assistant.replace('model:', 'modle:')), /there is no key "modle"/],
    [
      'imports what is not there',
      `import './late.ts'\n${config(assistant)}`,
      /late\.ts.*\[config_/,
    ],
  ])(
    'that %s keeps the configuration from before, and says why in a line',
    async (_, text, why) => {
      const before = dev.printed().length
      await save(at('signalbox.config.ts'), text)
      const [line] = await eventually(
        async () =>
          /.*cannot be used; the configuration from before goes on.*\n/.exec(
            dev.printed().slice(before),
          ) ?? undefined,
      )
      expect(line).toMatch(why)
      expect(await said()).toBe('Hello, Mary.')
    },
  )

  it('that brings what was missing makes it whole', async () => {
    const before = dev.printed().length
    await save(at('late.ts'), 'export {}\n')
    await eventually(async () => /late\.ts changed: reloaded/.test(dev.printed().slice(before)))
    const names = (await call(url, 'GET', '/assistants')).body.map(
      (each: { readonly name: string }) => each.name,
    )
    expect(names).toEqual(['assistant'])
    await save(at('signalbox.config.ts'), config(`${assistant}, ${clerk}`))
    // Between one configuration and the next nothing listens for a moment.
    const clerkStatus = () => call(url, 'GET', '/assistants/clerk').then(({ status }) => status)
    await eventually(async () => (await clerkStatus().catch(() => 0)) === 200)
  })

  it('cuts no call: what executes ends under the old configuration, its run goes on under the new one', async () => {
    const run = (
      await call(url, 'POST', '/runs', { body: { assistant_id: 'clerk', input: 'Pay.' } })
    ).body.run_id
    await eventually(async () => (await readFile(at('paid.txt'), 'utf8').catch(() => '')) === 'x')
    for (const name of ['Anna.', 'Berta.']) {
      await save(at('greeting.cjs'), `module.exports = '${name}'`)
      await eventually(async () => (await said().catch(() => '')) === `Hello, ${name}`)
    }
    await dev.prints(/goes on to its end under the configuration from before/)
    const before = dev.printed().length
    await save(
      at('signalbox.config.ts'),
      config(`${assistant}, ${clerk}`).replace(`'Paid.' }`, `'Paid, says the new one.' }`),
    )
    await eventually(async () =>
      /signalbox\.config\.ts changed: reloaded/.test(dev.printed().slice(before)),
    )
    await writeFile(at('may-end.txt'), '')
    const values = await eventually(async () => {
      const { status, body } = await call(url, 'GET', `/runs/${run}/join`)
      return status === 200 && body.outcome !== null ? body : undefined
    })
    expect(values.outcome).toBe('completed')
    expect(values.messages.at(-1).content).toBe('Paid, says the new one.')
    expect(await readFile(at('paid.txt'), 'utf8')).toBe('x')
    expect((await call(url, 'GET', '/unknown')).body).toEqual([])
    const { events } = (await call(url, 'GET', `/runs/${run}/events?limit=1000`)).body
    const types = events.map((event: { readonly type: string }) => event.type)
    expect(types.filter((type: string) => type === 'tool.completed')).toHaveLength(1)
    await dev.prints(/What was executing before the change has ended/)
  })

  it('leaves an end to Ctrl-C', async () => {
    dev.child.kill('SIGINT')
    expect((await dev.ended).code).toBe(0)
  })
})

/** Processes that work in a folder, by their command lines. */
const processesOf = (dir: string): readonly string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dir) && !line.includes(' ps '))

async function project(text: string) {
  const folder = await createFolder()
  onTestFinished(folder.remove)
  await writeFile(join(folder.dir, 'signalbox.config.ts'), text)
  const env = { PORT: String(await freePort()) }
  return { dir: folder.dir, where: { cwd: folder.dir, env } }
}

const plain = `
import { defineConfig } from 'signalbox'
export default defineConfig({
  agents: { assistant: { model: { provider: 'scripted', model: 'says' } } },
  scripts: { says: () => ({ text: 'Yes.' }) },
})
`

describe('Ctrl-C', () => {
  it('while the first database is made leaves nothing behind', async () => {
    const { dir, where } = await project(plain)
    const dev = start(['dev'], where)
    await dev.prints(/Making a database below the data directory, once/)
    await eventually(async () => processesOf(dir).some((line) => line.includes('initdb')))
    dev.child.kill('SIGINT')
    const { code, stderr, stdout } = await dev.ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
    expect(stdout).toMatch(/Stopping before the start is over/)
    expect(stdout).not.toMatch(/serves at/)
    await eventually(async () => processesOf(dir).length === 0)
    const left = await readdir(join(dir, '.signalbox/postgres'))
    expect(left.filter((name) => name.startsWith('cluster'))).toEqual([])
  })

  it('while a configuration is loaded ends at once, whatever it waits for', async () => {
    // A promise alone would let the process end by itself.
    const { where } = await project(
      `console.log('loading')\nsetInterval(() => {}, 1000)\nawait new Promise(() => {})\n`,
    )
    const dev = start(['dev'], where)
    await dev.prints(/loading/)
    dev.child.kill('SIGINT')
    expect((await dev.ended).code).toBe(130)
  })

  it('while it serves ends it, though a module of the user holds a timer', async () => {
    const { dir, where } = await project(`setInterval(() => {}, 1000)\n${plain}`)
    await placeReadyCluster(join(dir, '.signalbox/postgres'))
    const dev = start(['dev'], where)
    await dev.prints(/taken without a restart/)
    dev.child.kill('SIGINT')
    expect((await dev.ended).code).toBe(0)
    await eventually(async () => processesOf(dir).length === 0)
  })

  it('twice ends it at once; Postgres does not stay', async () => {
    const { dir, where } = await project(
      plain.replace(`says: () => ({`, `says: () => ({ delayMs: 60_000,`),
    )
    await placeReadyCluster(join(dir, '.signalbox/postgres'))
    const dev = start(['dev'], where)
    await dev.prints(/taken without a restart/)
    const url = `http://127.0.0.1:${where.env.PORT}`
    await call(url, 'POST', '/runs', { body: { assistant_id: 'assistant', input: 'Slowly.' } })
    dev.child.kill('SIGINT')
    await dev.prints(/Once more Ctrl-C/)
    dev.child.kill('SIGINT')
    expect((await dev.ended).code).toBe(130)
    await eventually(async () => processesOf(dir).length === 0)
  })
})

describe('Ctrl-C while an earlier configuration executes a call', () => {
  it('waits for it no longer than the grace says', async () => {
    const { dir, where } = await project(
      config(clerk)
        .replace(/import \{ word[^]*?\n.*greeting.*\n/, '')
        .replace(`says: () => ({ text: word + ' ' + greeting }),`, '')
        .replace('agents:', 'server: { graceMs: 300 }, agents:'),
    )
    await writeFile(join(dir, 'tools.ts'), tools)
    await placeReadyCluster(join(dir, '.signalbox/postgres'))
    const dev = start(['dev'], where)
    await dev.prints(/taken without a restart/)
    const url = `http://127.0.0.1:${where.env.PORT}`
    await call(url, 'POST', '/runs', { body: { assistant_id: 'clerk', input: 'Pay.' } })
    await eventually(
      async () => (await readFile(join(dir, 'paid.txt'), 'utf8').catch(() => '')) === 'x',
    )
    await save(join(dir, 'tools.ts'), `${tools}\n// changed\n`)
    await dev.prints(/tools\.ts changed: reloaded/)
    dev.child.kill('SIGINT')
    expect((await dev.ended).code).toBe(0)
    await eventually(async () => processesOf(dir).length === 0)
  })
})

describe('a start that fails', () => {
  it('stops the Postgres that it started', async () => {
    const { dir, where } = await project(plain)
    await placeReadyCluster(join(dir, '.signalbox/postgres'))
    const other = start(['dev'], where)
    await other.prints(/taken without a restart/)
    const { dir: second } = await project(plain)
    await placeReadyCluster(join(second, '.signalbox/postgres'))
    const ended = await signalbox(['dev'], { cwd: second, env: where.env })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/\[port_in_use\]\n$/) })
    await eventually(async () => processesOf(second).length === 0)
    other.child.kill('SIGINT')
    await other.ended
  })

  const mounts = ((): boolean => {
    if (process.getuid?.() !== 0 || process.platform !== 'linux') return false
    try {
      const probe = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim()
      execFileSync('mount', ['-t', 'tmpfs', 'none', probe], { stdio: 'ignore' })
      execFileSync('umount', [probe])
      execFileSync('rmdir', [probe])
      return true
    } catch {
      return false
    }
  })()
  const why = mounts ? '' : ' (skipped: only root may mount a small file system)'

  it.skipIf(!mounts).each([
    [
      'a disk without room',
      'size=12m,mode=755',
      /^signalbox: The disk of .* is full\. .*SIGNALBOX_DATA_DIR/,
    ],
    [
      'a disk that may not be written',
      'ro,mode=755',
      /^signalbox: The data directory .* cannot be/,
    ],
  ])(`on %s says so in a sentence${why}`, async (_, options, sentence) => {
    const { dir, where } = await project(plain)
    const data = join(dir, 'data')
    await mkdir(data)
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', data])
    try {
      const env = { ...where.env, SIGNALBOX_DATA_DIR: data }
      const { code, stderr } = await signalbox(['dev'], { cwd: dir, env })
      expect(stderr).toMatch(sentence)
      expect(stderr).toMatch(/^[^\n]+\[embedded_postgres\]\n$/)
      expect(code).toBe(1)
      await eventually(async () => processesOf(dir).length === 0)
    } finally {
      execFileSync('umount', ['--lazy', data])
    }
  })
})
