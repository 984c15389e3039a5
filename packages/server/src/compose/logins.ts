/** The logins of a database, by what a process was told: their addresses, and how the administrator makes them good. */
import { createHmac } from 'node:crypto'
import { prepare } from '@signalbox/bullmq'
import { type LoginRole, loginRoles, migrate, type MigrateReport } from '@signalbox/postgres'
import { ConfigError } from '../config/config-error.ts'
import type { ServerEnvironment } from '../config/environment.ts'

/** Addresses of one database, by who logs in; null where nothing says it. They hold passwords: never log them. */
export type LoginUrls = Readonly<Record<LoginRole, string | null>>

/**
 * Every address that was told, and those that follow from the administrator's.
 *
 * @throws ConfigError if one would follow from an address without a password
 */
export function loginsOf(told: {
  readonly adminUrl: string | null
  readonly loginUrls: ServerEnvironment['loginUrls']
}): LoginUrls {
  const { adminUrl, loginUrls } = told
  const of = (role: LoginRole): string | null =>
    loginUrls[role] ?? (adminUrl === null ? null : derived(new URL(adminUrl), role))
  return {
    app: of('app'),
    engine: of('engine'),
    queue: of('queue'),
    maintenance: of('maintenance'),
  }
}

/** Brings the schema up to date, gives the logins the passwords of their addresses, and makes room for the queue. */
export async function migrateAll(
  adminUrl: string,
  made: { readonly logins: LoginUrls; readonly withQueue: boolean },
): Promise<MigrateReport> {
  const report = await migrate(adminUrl, { passwords: passwordsIn(made.logins) })
  if (made.withQueue)
    await prepare({ kind: 'postgres', url: adminUrl }, { grantTo: userOf('queue') })
  return report
}

/**
 * What the administrator does for processes that are told their logins: those that were told here get their passwords, and the queue its
 * room. Of the others nothing changes: processes that know the administrator set them by themselves.
 */
export const migrateAsTold = (
  adminUrl: string,
  { loginUrls, redisUrl }: Pick<ServerEnvironment, 'loginUrls' | 'redisUrl'>,
): Promise<MigrateReport> =>
  migrateAll(adminUrl, {
    logins: loginUrls,
    withQueue: redisUrl === null && loginUrls.queue !== null,
  })

/** A login of another name (one that a cloud manages, say) has a password of its own. */
function passwordsIn(logins: LoginUrls): Partial<Record<LoginRole, string>> {
  const passwords: Partial<Record<LoginRole, string>> = {}
  for (const role of loginRoles) {
    const url = logins[role] === null ? null : new URL(logins[role])
    if (url?.username === userOf(role) && url.password !== '')
      passwords[role] = decodeURIComponent(url.password)
  }
  return passwords
}

const userOf = (role: LoginRole): string => `signalbox_${role}`

function derived(admin: URL, role: LoginRole): string {
  if (admin.password === '')
    throw new ConfigError(
      'config_env',
      'DATABASE_URL: must hold a password (any, if the server trusts this host): those of our roles follow from it',
      { field: 'DATABASE_URL' },
    )
  const url = new URL(admin)
  url.username = userOf(role)
  url.password = createHmac('sha256', decodeURIComponent(admin.password))
    .update(`signalbox role ${role}`)
    .digest('base64url')
  return url.href
}
