/** Files that hold secrets or start programs. No passport opens them, not even one that allows every path. */
import { matchesWildcard } from '../wildcard.ts'

/** Names of files and directories, in lower case. One of them anywhere in a path is enough. */
const secretNames = [
  '.env*',
  '*.env',
  '.ssh',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.gnupg',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*credentials*',
  '*password*',
  'secrets.*',
  '*_history',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
] as const

const secretPlaces = [
  '/etc/shadow*',
  '/etc/gshadow*',
  '/etc/sudoers*',
  '/proc/*',
  '/dev/mem',
] as const

/** Written to, these run as somebody's program later. */
const startingNames = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.kshrc',
  '.login',
  '.cshrc',
  'authorized_keys',
  'crontab',
] as const

const systemPlaces = [
  '/etc',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/lib',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/var/spool/cron',
  '/system',
  '/library',
  '/private/etc',
] as const

const harmlessDevices = new Set([
  '/dev/null',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/tty',
  '/dev/zero',
])

const namesOf = (path: string): readonly string[] => path.toLowerCase().split('/')

/** The pattern by which a canonical path is secret; null if it is not. Letter case makes no difference. */
export function secretPattern(path: string): string | null {
  const lower = path.toLowerCase()
  const place = secretPlaces.find((pattern) => matchesWildcard(pattern, lower))
  if (place !== undefined) return place
  const names = namesOf(path)
  return secretNames.find((pattern) => names.some((name) => matchesWildcard(pattern, name))) ?? null
}

/** Places of secrets that the second edition of the checks knows besides, with the names of folders. */
const secretFolders = [
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/rclone',
  '.terraform.d',
  '.local/share/keyrings',
  'run/secrets',
] as const

/** The same for the second edition. */
export function guardedPattern(path: string): string | null {
  const lower = `/${path.toLowerCase()}/`.replace('//', '/')
  return secretPattern(path) ?? secretFolders.find((each) => lower.includes(`/${each}/`)) ?? null
}

/** The pattern by which nobody may write to a canonical path: system places, start-up files, hooks; null if there is none. */
export function protectedFromWriting(path: string): string | null {
  const lower = path.toLowerCase()
  if (harmlessDevices.has(lower) || /^\/dev\/fd\/\d{1,3}$/.test(lower)) return null
  const place = systemPlaces.find((each) => lower === each || lower.startsWith(`${each}/`))
  if (place !== undefined) return place
  if (`/${lower}/`.includes('/.git/hooks/')) return '.git/hooks'
  const names = namesOf(path)
  return startingNames.find((name) => names.includes(name)) ?? null
}
