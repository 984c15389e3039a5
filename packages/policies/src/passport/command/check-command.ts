/** Limits of system.command.execute. Every text the call may run is read, and every program in it must be allowed. */
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import { badContext, firstOf, textsUnder, type LimitedCall } from '../limit-check.ts'
import { listOf } from '../limit-shape.ts'
import { notAllowed } from './allowed-commands.ts'
import { blockedPattern } from './blocked-patterns.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkWrites } from './check-writes.ts'
import { dangerIn, isForkBomb } from './dangerous.ts'
import { checkDirectories, checkNamedVariables, checkTime, checkVariables } from './environment.ts'
import type { Executable } from './doings.ts'
import { readDoings } from './executables.ts'
import { steeringOption } from './steering-options.ts'

const commandCharsMax = 10_000
const argumentsMax = 100
export const commandNames = ['command', 'cmd', 'commands', 'script']
const shells = new Set(['sh', 'bash', 'dash', 'ksh', '/bin/sh', '/bin/bash', '/usr/bin/bash'])

/** Refuses what the passport does not allow. */
export function checkCommandCall(call: LimitedCall): PolicyReason | null {
  const { args } = call.request
  const commands = textsUnder(args, commandNames)
  if (commands === null)
    return badContext('The call must have a command in "command", as a text that is not empty.')
  const { shell } = args
  if (shell !== undefined && (typeof shell !== 'string' || !shells.has(shell)))
    return badContext('"shell" must be "sh" or "bash": no other can be checked.')
  const texts = commands.length === 1 ? withArguments(commands[0] ?? '', args['args']) : commands
  if (texts === null)
    return badContext(`"args" must be a list of at most ${argumentsMax} texts, with one command.`)
  return firstOf(...texts.map((text) => () => checkText(call, text)), () => checkTime(call))
}

/**
 * The texts a command and a list of arguments may come to. Whether the tool quotes them is not known here, so both must be
 * allowed: quoted, they are only arguments; unquoted, they could be more commands.
 */
function withArguments(command: string, args: unknown): readonly string[] | null {
  if (args === undefined) return [command]
  if (!Array.isArray(args) || args.length > argumentsMax) return null
  const words: unknown[] = args
  const texts = words.filter((word) => typeof word === 'string')
  if (texts.length < words.length) return null
  const inQuotes = texts.map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  return [[command, ...inQuotes].join(' '), [command, ...texts].join(' ')]
}

function checkText(call: LimitedCall, text: string): PolicyReason | null {
  const { limits } = call
  if (text.length > commandCharsMax || text.trim() === '')
    return badContext(
      `"command" must have 1 to ${commandCharsMax} characters that are not all spaces.`,
    )
  // A carriage return is part of a word to a shell and a line end to a reader; NUL ends the text for some programs.
  if (/[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}]/u.test(text))
    return reason(
      'oap.command_injection_detected',
      'The command has control characters: leave them out.',
    )
  if (isForkBomb(text)) return dangerous('starting itself without end')
  const pattern = blockedPattern(text, [], listOf(limits, 'blocked_patterns') ?? [])
  if (pattern !== null) return blocked(pattern)
  const read = readDoings(text, call.edition)
  if (!read.ok) {
    if (read.reads) return dangerous('running what comes out of a pipe')
    const why = `The command cannot be judged: ${read.problem}. Write each program out, one after the other.`
    return reason('oap.command_injection_detected', why)
  }
  const { doings } = read
  const danger = dangerIn(doings, call.edition)
  if (danger !== null) return dangerous(danger.what)
  const hit = blockedPattern(text, doings.executables, listOf(limits, 'blocked_patterns') ?? [])
  if (hit !== null) return blocked(hit)
  const programs =
    call.edition === 1 ? doings.executables : doings.executables.filter((each) => !isControl(each))
  const stranger = notAllowed(programs, listOf(limits, 'allowed_commands') ?? [])
  if (stranger !== null) {
    const name = quoted(stranger.words[0]?.text ?? '')
    const where = 'limits.system.command.execute.allowed_commands'
    return reason(
      'oap.command_not_allowed',
      `The program ${name}, as it is called here, is not in ${where}.`,
    )
  }
  if (call.edition === 1)
    return firstOf(
      () => checkVariables(call, doings),
      () => checkDirectories(call, doings),
    )
  const option = steeringOption(doings, listOf(limits, 'allowed_commands') ?? [])
  if (option !== null) {
    const why = option.isUnseen
      ? `The argument ${quoted(option.text)} could become an option that runs another program: write it out, let it begin with "./", or put it behind "--".`
      : `The argument ${quoted(option.text)} runs another program or names what to obey: no entry of limits.system.command.execute.allowed_commands has it.`
    return reason('oap.command_not_allowed', why)
  }
  return firstOf(
    () => checkNamedVariables(call, doings),
    () => checkDirectories(call, doings),
    () => checkWrites(call, doings),
    () => checkSecrets(call, doings),
  )
}

/** Builtins that only say which command is next, or that there is none. */
const isControl = ({ words, outer }: Executable): boolean =>
  outer === null && /^(?::|break|continue|exit|return|shift)$/.test(words[0]?.text ?? '')

const dangerous = (what: string): PolicyReason =>
  reason('oap.dangerous_operation', `The command is dangerous (${what}): no passport allows it.`)

const blocked = (pattern: string): PolicyReason =>
  reason(
    'oap.blocked_pattern',
    `The command has ${quoted(pattern)}, which limits.system.command.execute.blocked_patterns forbids.`,
  )
