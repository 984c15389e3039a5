/** Variables a command sets, and directories it changes to. */
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import { isObject } from '../fields/values.ts'
import { canonicalPath, isWithin } from '../files/canonical-path.ts'
import { badContext, textsUnder, type LimitedCall } from '../limit-check.ts'
import { countOf, listOf } from '../limit-shape.ts'
import { matchesWildcard } from '../wildcard.ts'
import type { Doings, Executable } from './doings.ts'
import { isShell } from './interpreters.ts'
import { changesOf } from './places.ts'
import { isPlain, type Word } from '../../shell/script.ts'

/** Variables by which an allowed program would run another one: by name, by how they begin, by how they end. */
const steering = new Set([
  'PATH',
  'IFS',
  'ENV',
  'SHELLOPTS',
  'CDPATH',
  'PS0',
  'PS1',
  'PS2',
  'PS3',
  'PS4',
  'NODE_OPTIONS',
  'NODE_PATH',
  'JAVA_TOOL_OPTIONS',
  'MAKEFLAGS',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'MANPAGER',
  'LESSOPEN',
  'BROWSER',
])
const steeringHeads = [
  'LD_',
  'DYLD_',
  'BASH',
  'GIT_',
  'SSH_',
  'PYTHON',
  'PERL',
  'RUBY',
  'NPM_CONFIG_',
]
const steeringTails = ['_COMMAND', '_PAGER', '_EDITOR', '_ASKPASS']

function steers(name: string): boolean {
  const upper = name.toUpperCase()
  return (
    steering.has(upper) ||
    steeringHeads.some((head) => upper.startsWith(head)) ||
    steeringTails.some((tail) => upper.endsWith(tail))
  )
}

/** Refuses variables the passport blocks and, where not every program is allowed, those that choose programs. */
export function checkVariables(
  { limits, request }: LimitedCall,
  doings: Doings,
): PolicyReason | null {
  const given = request.args['env']
  if (given !== undefined && !isObject(given))
    return badContext('"env" must be an object of texts.')
  const names = [...doings.variables.map(({ name }) => name), ...Object.keys(given ?? {})]
  const blocked = listOf(limits, 'blocked_env_vars') ?? []
  const any = listOf(limits, 'allowed_commands')?.includes('*') === true
  for (const name of names) {
    const entry = blocked.find((each) => matchesWildcard(each.toLowerCase(), name.toLowerCase()))
    if (entry === undefined && (any || !steers(name))) continue
    const why =
      entry === undefined
        ? 'chooses what allowed programs run'
        : 'is in limits.system.command.execute.blocked_env_vars'
    return reason('oap.env_var_blocked', `The variable ${quoted(name)} ${why}: leave it out.`)
  }
  return null
}

/** Say how output looks, and nothing else: set by people every day, obeyed as a program or a place by nothing. */
const harmless = [
  'CI',
  'CARGO_TERM_COLOR',
  'CLICOLOR',
  'CLICOLOR_FORCE',
  'COLUMNS',
  'FORCE_COLOR',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'LINES',
  'LOG_LEVEL',
  'NODE_ENV',
  'NO_COLOR',
  'RUST_BACKTRACE',
  'SOURCE_DATE_EPOCH',
  'TZ',
  'VERBOSE',
] as const
/** No absolute path, no way up: a locale or a zone may be the name of a file. */
const harmlessValue = /^(?![/:~])(?!.*\.\.)[^\s]*$/
export const environmentNames = [
  'env',
  'environment',
  'environment_variables',
  'env_vars',
  'envVars',
]
/** Lower-case names that programs or other shells obey all the same. */
const obeyedInLowerCase =
  /_proxy$|^npm_|^(?:argv|cdpath|fignore|fpath|histchars|mailpath|manpath|module_path|path|pipestatus|prompt|psvar|status|watch)$/

/**
 * Refuses every variable but those that are harmless by name and value, those that `allowed_env` names, and the shell's own
 * in lower case. Where every program is allowed, variables add nothing, unless `allowed_env` is there.
 */
export function checkNamedVariables(
  { limits, request }: LimitedCall,
  { variables, executables }: Doings,
): PolicyReason | null {
  const given = environmentNames.flatMap((name) => {
    const value = Object.hasOwn(request.args, name) ? request.args[name] : undefined
    return value === undefined ? [] : [value]
  })
  const objects = given.filter((value) => isObject(value))
  const entries = objects.flatMap((value) => Object.entries(value))
  if (objects.length < given.length || entries.some(([, value]) => typeof value !== 'string'))
    return badContext('"env" must be an object of texts.')
  const exportsAll = executables.some(exportsEverything)
  const all = [
    ...variables.map((each) => ({ ...each, exported: each.exported || exportsAll })),
    ...entries.map(([name, value]) => ({ name, value, exported: true })),
  ]
  const blocked = listOf(limits, 'blocked_env_vars') ?? []
  const allowed = listOf(limits, 'allowed_env')
  const isOpen = allowed === null && listOf(limits, 'allowed_commands')?.includes('*') === true
  for (const { name, value, exported } of all) {
    if (blocked.some((each) => matchesWildcard(each.toLowerCase(), name.toLowerCase()))) {
      const text = `The variable ${quoted(name)} is in limits.system.command.execute.blocked_env_vars: leave it out.`
      return reason('oap.env_var_blocked', text)
    }
    if (isOpen || allowed?.some((each) => matchesWildcard(each, name)) === true) continue
    if (!exported && /^[a-z_][a-z0-9_]{0,63}$/.test(name) && !obeyedInLowerCase.test(name)) continue
    const isHarmless = harmless.some((each) => matchesWildcard(each, name))
    if (isHarmless && (typeof value !== 'string' || harmlessValue.test(value))) continue
    const text = `The variable ${quoted(name)} is not in limits.system.command.execute.allowed_env: it may choose what allowed programs run or read. Leave it out.`
    return reason('oap.env_var_blocked', text)
  }
  return null
}

/** `set -a` and shells with that option export whatever is set after it; `-k` takes assignments among arguments. */
const exportsEverything = ({ name, words }: Executable): boolean =>
  (name === 'set' || isShell(name)) &&
  words.some(({ text }) => /^-[a-zA-Z]*[ak]|^(?:allexport|keyword)$/.test(text))

export const directoryNames = [
  'cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'directory',
]

/** Refuses directories that are not under the passport's, as the call gives them or as the text changes to them. */
export function checkDirectories(call: LimitedCall, { executables }: Doings): PolicyReason | null {
  const { args } = call.request
  const allowed = listOf(call.limits, 'allowed_working_directories')
  const given = textsUnder(args, directoryNames)
  if (given === null && directoryNames.some((name) => Object.hasOwn(args, name)))
    return badContext('"cwd" must be a text that is not empty.')
  if (allowed === null) return null
  const changes = executables
    .filter(({ name }) => name !== 'tar')
    .flatMap((each) => changesOf(each).map(plainText))
  let base = call.root
  for (const text of [...(given ?? []), ...changes]) {
    const read = text === null ? null : canonicalPath(text, base)
    if (
      read?.ok !== true ||
      !allowed.some((entry) => allows(entry, { path: read.path, root: call.root }))
    ) {
      const what = text === null ? 'A directory that cannot be seen here' : quoted(text)
      const hint = 'limits.system.command.execute.allowed_working_directories'
      return reason('oap.directory_not_allowed', `${what} is not under ${hint}.`)
    }
    if (read.path.startsWith('/')) base = read.path
  }
  return null
}

function allows(
  entry: string,
  { path, root }: { readonly path: string; readonly root: string | null },
): boolean {
  if (entry === '*') return true
  const read = canonicalPath(entry, root)
  return read.ok && isWithin(read.path, path)
}

/** A word that is not plain cannot be seen here, e.g. `cd $X`. */
const plainText = (word: Word | null): string | null =>
  word !== null && isPlain(word) ? word.text : null

/** Refuses a call that asks for more time than the passport gives. Limits are in seconds. */
export function checkTime({ limits, request }: LimitedCall): PolicyReason | null {
  const most = countOf(limits, 'max_execution_time')
  for (const [name, perSecond] of [
    ['timeout', 1],
    ['timeout_seconds', 1],
    ['timeout_ms', 1000],
    ['timeoutMs', 1000],
  ] as const) {
    const value = request.args[name]
    if (value === undefined) continue
    if (typeof value !== 'number' || value <= 0)
      return badContext(`"${name}" must be a number above 0.`)
    if (most !== null && value / perSecond > most) {
      const text = `limits.system.command.execute.max_execution_time is ${most} seconds: ask for no more in "${name}".`
      return reason('oap.limit_exceeded', text)
    }
  }
  return null
}
