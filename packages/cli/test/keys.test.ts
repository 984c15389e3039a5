/** Keys from the command line, against the database of a running server. Would catch: a key that opens nothing, or too much. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signalbox } from './support/command.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
beforeAll(async () => {
  box = await startServer({ SIGNALBOX_API_KEY: 'k'.repeat(20) })
})
afterAll(() => box?.stop())

/** A command that shows another key. */
const as = (key: string, ...args: readonly string[]) =>
  signalbox(args, { cwd: box.dir, env: { SIGNALBOX_URL: box.url, SIGNALBOX_API_KEY: key } })

describe('a key of a new tenant', () => {
  it('is made, opens what its scopes say, is listed without its text, and revoked', async () => {
    const made = await box.json('keys', 'create', '--tenant', 'acme', '--scopes', 'enqueue, read')
    expect(made).toMatchObject({
      tenant: 'acme',
      scopes: ['enqueue', 'read'],
      status: 'live',
      created_by: 'cli',
      expires_at: null,
    })
    const run = await as(made.key, 'run', '--detach', '--agent', 'waiter', 'Wait.')
    expect(run.code).toBe(0)
    const refused = await as(made.key, 'events', '--type', 'run.created')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/scope audit\..*SIGNALBOX_API_KEY.*\[forbidden_scope\]/)
    const { stdout: revoked } = await box.run('keys', 'revoke', made.id, '--tenant', 'acme')
    expect(revoked).toBe(`The key ${made.id} is revoked.\n`)
    const listed = await box.run('keys', 'list', '--tenant', 'acme')
    expect(listed.stdout).toMatch(new RegExp(`${made.id} +cli +revoked +enqueue,read +never +20`))
    expect(listed.stdout).not.toContain(made.key)
  })

  it.concurrent.each([
    [
      ['create', '--scopes', 'root'],
      2,
      /there is no scope "root". Known: enqueue, read.*\[usage\]/,
    ],
    [['revoke', 'nobody', '--tenant', 'acme'], 4, /keys list --tenant acme \[unknown_key\]/],
  ])('with %j is refused', async (args, code, said) => {
    const ended = await box.run('keys', ...args)
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(said) })
  })
})
