/**
 * Addresses of Redis, in one line of text each:
 *
 *   redis://[user:password@]host[:port][/db]
 *   redis://[user:password@]host[:port],host[:port],…?cluster=true
 *   redis-sentinel://[user:password@]host[:port],host[:port],…/name[/db][?sentinelUsername=…&sentinelPassword=…]
 *
 * and with TLS `rediss://` and `rediss-sentinel://`. They hold secrets: no message here repeats any part of one but hosts.
 */

export interface RedisNode {
  readonly host: string
  readonly port: number
}

interface Access {
  readonly username: string | undefined
  readonly password: string | undefined
  readonly tls: boolean
}

/** Where Redis is. Of a cluster and of sentinels, the nodes are those that are asked first; they know the others. */
export type RedisTarget = Access &
  (
    | { readonly kind: 'single'; readonly nodes: readonly [RedisNode] }
    | { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] }
    | {
        readonly kind: 'sentinel'
        readonly nodes: readonly RedisNode[]
        readonly name: string
        readonly db: number
        readonly sentinelUsername: string | undefined
        readonly sentinelPassword: string | undefined
      }
  )

/** An address that cannot be used. Its message says what would be right and holds no secret. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError'
}

const wrong = (message: string): never => {
  throw new RedisUrlError(message)
}

const ports = { redis: 6379, 'redis-sentinel': 26_379 } as const
const nodesMax = 50
const form =
  /^(redis|rediss|redis-sentinel|rediss-sentinel):\/\/(?:([^/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/

/**
 * Reads an address.
 *
 * @throws RedisUrlError
 */
export function parseRedisUrl(url: string): RedisTarget {
  const parts = form.exec(url)
  if (parts === null)
    return wrong(
      'must be an address that begins with redis://, rediss://, redis-sentinel:// or rediss-sentinel://',
    )
  const [, scheme = '', user, hosts = '', path = '', query = ''] = parts
  const isSentinel = scheme.endsWith('-sentinel')
  const nodes = nodesOf(hosts, isSentinel ? ports['redis-sentinel'] : ports.redis)
  const access = { ...credentials(user), tls: scheme.startsWith('rediss') }
  const options = new URLSearchParams(query)
  if (isSentinel) return sentinel(nodes, access, { path, options })
  const isCluster = flag(options, 'cluster')
  only(options, ['cluster', 'family'])
  if (isCluster) {
    if (path !== '' && path !== '/' && path !== '/0') wrong('a cluster has only the database 0')
    return { kind: 'cluster', nodes, ...access }
  }
  const [node, ...more] = nodes
  if (node === undefined || more.length > 0)
    return wrong('names several hosts: add ?cluster=true, or use redis-sentinel://')
  dbOf(path.slice(1))
  return { kind: 'single', nodes: [node], ...access }
}

/** Hosts and kind, for people; no secrets. */
export function describeRedis({ kind, nodes }: RedisTarget): string {
  const hosts = nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  return kind === 'single' ? hosts.join() : `${hosts.join(', ')} (${kind})`
}

function sentinel(
  nodes: readonly RedisNode[],
  access: Access,
  { path, options }: { readonly path: string; readonly options: URLSearchParams },
): RedisTarget {
  only(options, ['sentinelUsername', 'sentinelPassword'])
  const [name = '', db = '', ...rest] = path.slice(1).split('/')
  if (name === '' || rest.length > 0)
    wrong('must end with the name of the master: redis-sentinel://host:port,host:port/name')
  return {
    kind: 'sentinel',
    nodes,
    name: decoded(name),
    db: dbOf(db),
    sentinelUsername: options.get('sentinelUsername') ?? undefined,
    sentinelPassword: options.get('sentinelPassword') ?? undefined,
    ...access,
  }
}

function nodesOf(hosts: string, port: number): readonly RedisNode[] {
  const nodes = hosts.split(',').map((text): RedisNode => {
    const [, bracketed, plain, own] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? []
    const number = Number(own ?? port)
    const host = bracketed ?? plain
    if (host === undefined || number < 1 || number > 65_535)
      return wrong('each host is written host:port, hosts are separated by commas')
    return { host, port: number }
  })
  if (nodes.length > nodesMax) wrong(`names more than ${nodesMax} hosts`)
  return nodes
}

function credentials(user: string | undefined): Pick<Access, 'username' | 'password'> {
  if (user === undefined) return { username: undefined, password: undefined }
  const at = user.indexOf(':')
  const [name, password] = at < 0 ? [user, ''] : [user.slice(0, at), user.slice(at + 1)]
  return { username: decoded(name) || undefined, password: decoded(password) || undefined }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return wrong('holds a % that is not followed by two hexadecimal digits')
  }
}

function dbOf(text: string): number {
  if (!/^\d{0,5}$/.test(text)) wrong('the database is a number')
  return Number(text)
}

function flag(options: URLSearchParams, name: string): boolean {
  const value = options.get(name)
  if (value !== null && value !== 'true' && value !== 'false')
    wrong(`${name} must be true or false`)
  return value === 'true'
}

function only(options: URLSearchParams, names: readonly string[]): void {
  for (const name of options.keys())
    if (!names.includes(name))
      wrong(`knows no option "${name.slice(0, 40)}"; known: ${names.join(', ')}`)
}
