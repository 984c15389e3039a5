/** What people type wrong: each a child process, one clear line on standard error, an exit code that says what kind. */
import { createServer } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { exitCodes } from '../src/exit-codes.ts'
import { type Ended, signalbox } from './support/command.ts'
import { createFolder } from './support/folder.ts'
import { startServer, type TestServer } from './support/server.ts'

const apiKey = 'k'.repeat(20)
let box: TestServer
let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  box = await startServer({ SIGNALBOX_API_KEY: apiKey })
  folder = await createFolder()
})
afterAll(async () => {
  await box?.stop()
  await folder?.remove()
})

function expectRefusal(ended: Ended, code: number, said: RegExp): void {
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' })
  expect(ended.stderr).toMatch(said)
  expect(ended.stderr).toMatch(/^signalbox: .*\[[a-z_]+\]\n$/)
}

/** Where there is a server. */
const asked: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['an unknown command', ['rnus'], 2, /unknown command 'rnus' \(Did you mean runs\?\)/],
  ['an unknown option', ['runs', '--thraed', 'x'], 2, /unknown option '--thraed'.*--thread/],
  ['a missing argument', ['approve'], 2, /missing required argument 'approval'/],
  ['a scope that is none', ['approve', 'a_x', '--scope', 'all'], 2, /once, run, always/],
  [
    'an edit that is no JSON',
    ['approve', 'a_x', '--edit', '{'],
    2,
    /--edit takes an object of JSON/,
  ],
  ['an edit that is no object', ['approve', 'a_x', '--edit', '[1]'], 2, /--edit takes an object/],
  [
    'an edit with a key twice',
    ['approve', 'a_x', '--edit', '{"to":"ann","amount":1,"to":"bob"}'],
    2,
    /--edit can be read in two ways: the key "to" stands twice/,
  ],
  [
    'an edit of a prototype',
    ['approve', 'a_x', '--edit', '{"to":{"__proto__":{"admin":true}}}'],
    2,
    /--edit can be read in two ways: there is a key "__proto__"/,
  ],
  [
    'an edit with a number that changes when it is read',
    ['approve', 'a_x', '--edit', '{"to":"ann","amount":9007199254740993}'],
    2,
    /an integer at "amount" is larger than 2\^53 - 1; write it as a text/,
  ],
  [
    'an edit with a number without bound',
    ['approve', 'a_x', '--edit', '{"amount":1e999}'],
    2,
    /a number at "amount" is larger than any double/,
  ],
  [
    'an edit with a scope',
    ['approve', 'a_x', '--edit', '{}', '--scope', 'run'],
    2,
    /cannot be used/,
  ],
  ['a file that is not there', ['approve', 'a_x', '--edit-file', 'none'], 2, /--edit-file cannot/],
  ['an edit of a rejection', ['reject', 'a_x', '--edit', '{}'], 2, /unknown option '--edit'/],
  ['a message that says nothing', ['reject', 'a_x', '--message', ' '], 2, /--message takes a text/],
  ['an approval that is not there', ['approve', 'a_x'], 4, /approvals \[unknown_approval\]/],
  ['an approval to look at', ['approvals', 'a_x'], 4, /approvals \[unknown_approval\]/],
  ['an argument too many', ['cancel', 'x', 'y'], 2, /too many arguments/],
  ['a limit that is none', ['runs', '--limit', 'many'], 2, /whole number from 1 to 1000/],
  ['a status that is none', ['runs', '--status', 'done'], 2, /Allowed choices.*success/],
  ['a time that is none', ['events', '--since', 'yesterday'], 2, /2026-11-20T12:00:00Z/],
  ['a position that is none', ['events', '--after', '7'], 2, /position.*\[invalid_request\]/],
  ['a filter beside a run', ['events', 'x', '--tool', 't'], 2, /events --run x --tool/],
  ['a resolution that is none', ['resolve', 'r', 'e', 'maybe'], 2, /happened, not-happened, retry/],
  ['no agent where there are many', ['run', 'Hello.'], 2, /--agent: .*clerk/],
  ['an agent that is not there', ['run', 'Hello.', '-a', 'clrek'], 4, /Did you mean "clerk"\?/],
  ['an empty prompt', ['run', '', '-a', 'clerk'], 2, /input.*\[invalid_request\]/],
  ['a thread with a bad id', ['run', 'Hi.', '-a', 'clerk', '-t', 'a b'], 2, /thread_id/],
  ['a run that is not there', ['cancel', 'no-such-run'], 4, /signalbox runs \[unknown_run\]/],
  ['events of no run', ['events', 'no-such-run', '--follow'], 4, /\[unknown_run\]/],
  ['an approval nobody asked for', ['approve', 'nope', 'c'], 4, /\[unknown_run\]/],
]

/** Where there is none, in an empty folder. */
const alone: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['no server', ['runs'], 3, /npx signalbox dev.*\[server_unreachable\]/],
  ['no server to follow', ['approvals', '--follow'], 3, /\[server_unreachable\]/],
  ['an address that is none', ['runs', '--url', 'localhost'], 2, /--url http:/],
  [
    'a run without server and configuration',
    ['run', 'Hi.'],
    2,
    /signalbox init.*\[config_not_found\]/,
  ],
  ['a run left alone without a server', ['run', 'Hi.', '--detach'], 2, /leave --detach out/],
  ['no configuration', ['dev'], 2, /npx signalbox init.*\[config_not_found\]/],
  ['a port that is none', ['serve', '--port', '99999'], 2, /from 0 to 65535/],
  ['a role that is none', ['serve', '--roles', 'api,cook'], 2, /"cook". Known: api, orch/],
  ['no register', ['audit', 'verify'], 2, /set DATABASE_URL\. \[no_register\]/],
  ['nothing to migrate', ['migrate'], 2, /DATABASE_URL is not set/],
]

describe('a mistake is told in one line:', () => {
  it.concurrent.each(asked)('%s', async (_, args, code, said) => {
    expectRefusal(await box.run(...args), code, said)
  })

  it.concurrent.each(alone)('%s', async (_, args, code, said) => {
    // Port 9 discards: nothing listens there.
    const where = { cwd: folder.dir, env: { PORT: '9' } }
    expectRefusal(await signalbox(args, where), code, said)
  })

  it('a key that is wrong, or missing', async () => {
    for (const env of [{}, { SIGNALBOX_API_KEY: 'another key, as long' }])
      expectRefusal(
        await signalbox(['runs', '--url', box.url], { cwd: box.dir, env }),
        2,
        /Set SIGNALBOX_API_KEY.*\[unauthenticated\]/,
      )
  })

  it('a server that is no Signalbox', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    onTestFinished(() => void other.close())
    const url = `http://127.0.0.1:${port}`
    const ended = await signalbox(['runs', '--url', url], { cwd: box.dir })
    expectRefusal(ended, 3, /is not Signalbox.*\[not_signalbox\]/)
  })

  it('a configuration with a slip names the key that was meant', async () => {
    const { dir, remove } = await createFolder()
    onTestFinished(remove)
    const config = { agents: { a: { modle: { provider: 'scripted', model: 'x' } } } }
    await writeFile(join(dir, 'signalbox.config.json'), JSON.stringify(config))
    for (const command of ['dev', 'serve'])
      expectRefusal(await signalbox([command], { cwd: dir }), 2, /Did you mean "model"\?/)
  })

  it('a database that does not answer', async () => {
    const env = { DATABASE_URL: 'postgresql://me:hushhush@127.0.0.1:9/none' }
    for (const args of [['audit', 'verify'], ['replay', 'x'], ['migrate']]) {
      const ended = await signalbox(args, { cwd: box.dir, env })
      expectRefusal(ended, 3, /\[database_unreachable\]/)
      expect(ended.stderr).not.toContain('hushhush')
    }
  })
})

describe('help', () => {
  it('documents every exit code, and is what is shown without a command', async () => {
    const [help, bare, one] = await Promise.all(
      [['--help'], [], ['help', 'events']].map((args) => signalbox(args, { cwd: box.dir })),
    )
    expect(help?.code).toBe(0)
    for (const code of Object.values(exitCodes))
      expect(help?.stdout).toMatch(new RegExp(`^ +${code}  \\w`, 'm'))
    expect(bare).toMatchObject({ code: 2, stdout: '', stderr: help?.stdout })
    for (const filter of ['type', 'thread', 'run', 'tool', 'actor', 'verdict', 'since', 'until'])
      expect(one?.stdout).toContain(`--${filter} <`)
  })

  it('shows a stack only when asked', async () => {
    const where = { cwd: folder.dir, env: { PORT: '9' } }
    const { stderr } = await signalbox(['runs', '--debug'], where)
    expect(stderr).toMatch(/\[server_unreachable\]\n[^]*    at .*\n[^]*caused by/)
  })
})
