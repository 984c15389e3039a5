/** `keys`: keys of the API, made, listed and revoked in the database itself. */
import type { Command } from 'commander'
import type { Scope } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import { type CommonOptions, instant, withCommon } from '../options.ts'
import { keyDocument, keyRow } from '../output/key-lines.ts'
import { printTable } from '../output/table.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

interface KeysOptions extends CommonOptions {
  readonly tenant: string
}

interface CreateOptions extends KeysOptions {
  readonly name: string
  readonly scopes: string
  readonly expires?: string
}

/** Who made or revoked a key from here. */
const actor = 'cli'
const tenantPattern = /^[A-Za-z0-9._-]{1,100}$/
const tenantOption = ['--tenant <tenant>', 'whose keys', tenantOf, 'default'] as const

export function keyCommands(program: Command, shell: Shell): void {
  const keys = program
    .command('keys')
    .description('Make, list and revoke keys of the API, in the database itself')
  createCommand(keys, shell)
  withCommon(keys.command('list'))
    .description('List the keys of a tenant, newest first')
    .option(...tenantOption)
    .action(async (options: KeysOptions) => {
      const { withKeys } = await import('../local/keys.ts')
      const terminal = createTerminal({ json: options.json === true })
      const found = await withKeys(shell, (ring) => ring.list(options.tenant, {}))
      terminal.document(found.map(keyDocument))
      printTable(terminal, found.map(keyRow), `The tenant ${options.tenant} has no keys.`)
    })
  withCommon(keys.command('revoke'))
    .description('Revoke a key: within five seconds no server knows it any more')
    .argument('<key>', 'its id, as `keys list` shows it')
    .option(...tenantOption)
    .action(async (id: string, options: KeysOptions) => {
      const { withKeys } = await import('../local/keys.ts')
      const terminal = createTerminal({ json: options.json === true })
      const { tenant } = options
      const key = await withKeys(shell, (ring) => ring.revoke(tenant, { id, by: actor }))
      if (key === null)
        throw new Failure(
          'unknown_key',
          `The tenant ${tenant} has no key ${id}. List them with: signalbox keys list --tenant ${tenant}`,
          { exitCode: exitCodes.notFound },
        )
      terminal.document(keyDocument(key))
      terminal.line(`The key ${id} is revoked.`)
    })
}

function createCommand(keys: Command, shell: Shell): void {
  withCommon(keys.command('create'))
    .description('Make a key and print it: it is shown here and never again')
    .option(...tenantOption)
    .requiredOption(
      '--scopes <scopes>',
      'what it may, of enqueue,read,approve,audit,admin,memory:read,memory:write; or none',
    )
    .option('--name <name>', 'for humans', 'cli')
    .option(
      '--expires <time>',
      'when it expires, such as 2027-01-31T00:00:00Z (default: never)',
      instant,
    )
    .action(async (options: CreateOptions) => {
      const { name, tenant: tenantId, expires } = options
      const server = await import('@signalbox/server')
      const { systemRandom } = await import('@signalbox/engine')
      const { withKeys } = await import('../local/keys.ts')
      const expiresAt = expires === undefined ? null : Date.parse(expires)
      if (expiresAt !== null && expiresAt <= Date.now())
        throw usageFailure('--expires: it takes a time that is still to come.')
      if (name.trim() === '' || name.length > server.keyNameCharsMax || /\p{Cc}/u.test(name))
        throw usageFailure(
          `--name: it takes 1 to ${server.keyNameCharsMax} characters of one line.`,
        )
      const scopes = scopesOf(options.scopes, server.scopes)
      const wish = { tenantId, name: name.trim(), scopes, expiresAt, by: actor }
      const issued = await withKeys(shell, (ring) => server.issueKey(ring, systemRandom, wish))
      if (issued === null)
        throw new Failure(
          'too_many_keys',
          `${server.liveKeysMax} keys of ${tenantId} are live, which is the limit. Revoke some with: signalbox keys revoke`,
          { exitCode: exitCodes.conflict },
        )
      const terminal = createTerminal({ json: options.json === true })
      terminal.document({ ...keyDocument(issued.key), key: issued.text })
      terminal.line(issued.text)
    })
}

function tenantOf(text: string): string {
  if (tenantPattern.test(text)) return text
  throw usageFailure('--tenant: a tenant is 1 to 100 of A-Z a-z 0-9 . _ -')
}

function scopesOf(text: string, known: readonly Scope[]): readonly Scope[] {
  const named = text.trim() === 'none' ? [] : text.split(',').map((name) => name.trim())
  const stranger = named.find((name) => !known.some((scope) => scope === name))
  if (stranger === undefined) return known.filter((scope) => named.includes(scope))
  throw usageFailure(`--scopes: there is no scope "${stranger}". Known: ${known.join(', ')}, none.`)
}
