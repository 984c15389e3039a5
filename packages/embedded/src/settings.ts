import { EmbeddedPostgresError } from './errors.ts'

/** Server settings by name, as in `postgresql.conf`. */
export type ServerSettings = Readonly<Record<string, string | number | boolean>>

/** Settings that the supervisor itself decides: changed from outside, it could neither find nor protect the server. */
const reserved = new Set([
  'config_file',
  'data_directory',
  'external_pid_file',
  'hba_file',
  'ident_file',
  'listen_addresses',
  'log_destination',
  'logging_collector',
  'port',
  'unix_socket_directories',
])

/**
 * Only errors of the server itself reach its log: a failed statement's text, its key values and parameters are the
 * data of our users (I20). Durability settings stay at the server's safe defaults.
 */
const defaults: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: false,
  jit: false,
}

/**
 * Arguments of `postgres` for the cluster, without the port.
 *
 * @throws EmbeddedPostgresError `setting_refused`
 */
export function serverArguments(cluster: string, settings: ServerSettings): readonly string[] {
  for (const name of Object.keys(settings)) {
    if (!/^[a-z][a-z0-9_.]{0,99}$/.test(name) || reserved.has(name)) {
      throw new EmbeddedPostgresError(
        'setting_refused',
        `The server setting ${JSON.stringify(name)} cannot be set for the embedded server.`,
      )
    }
  }
  const pairs = Object.entries({ ...defaults, ...settings })
  return ['-D', cluster, ...pairs.flatMap(([name, value]) => ['-c', `${name}=${spell(value)}`])]
}

function spell(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}
