/**
 * Arguments besides those that the limits of the call's own capability look at.
 *
 * D1 An argument that a tool declares as a path, an address, a host, a recipient or a command is judged by the limits that the passport
 *    has for it, under whichever capability the tool is called.
 * D2 An argument that nobody declares, and that looks like one of them, is refused; a passport cannot say anything about it.
 * D3 Tools of servers, of agents, and of capabilities of somebody's own have no limits on arguments. There, only the kinds
 *    count that the passport has limits for.
 */
import { type Json, type JsonObject, type PolicyReason, reason, quoted } from '@signalbox/core'
import { checkCommandCall } from '../command/check-command.ts'
import { checkFields } from '../fields/check-fields.ts'
import { fieldTableOf } from '../fields/tables.ts'
import { checkPaths } from '../files/check-file.ts'
import { badContext, firstOf, type LimitedCall } from '../limit-check.ts'
import { isChecked } from '../limit-shape.ts'
import { limitsInForce } from '../limits-in-force.ts'
import { checkRecipients } from '../messaging/check-message.ts'
import { checkedAs } from '../packs.ts'
import type { Passport } from '../read-passport.ts'
import { checkUrl } from '../web/check-host.ts'
import { homes, lookedAtBy, ownNamesOf } from './argument-kinds.ts'
import { type SeenArgument, seen } from './argument-hints.ts'
import type { LooksLike } from './looks.ts'
import { declaredValues } from './rename.ts'

/** A call with the arguments as they came, and the passport that must allow it. */
export interface DeclaredCall extends LimitedCall {
  readonly passport: Passport
}

const looseCapabilities = new Set([
  'mcp.tool.execute',
  'agent.session.create',
  'agent.tool.register',
])

/** Does the capability bound the arguments of its calls? */
const isStrict = (capability: string): boolean =>
  !looseCapabilities.has(capability) && (isChecked(capability) || fieldTableOf(capability) !== null)

/** The capability of the passport that has the limits of a kind; null if it holds none. */
const homeOf = ({ capabilities }: Passport, kind: string): string | null =>
  capabilities.find((each) => homes[kind]?.includes(checkedAs(each))) ?? null

/** Refuses a declared argument that the limits of its kind do not allow. */
export function checkDeclared(call: DeclaredCall): PolicyReason | null {
  const { capability, request, passport } = call
  for (const [kind, names] of Object.entries(request.judged ?? {})) {
    const values = declaredValues(kind, names, request.args)
    if (values.length === 0 || kind === 'none' || !Object.hasOwn(homes, kind)) continue
    if (ownNamesOf(capability, kind).length > 0) continue
    const home = homeOf(passport, kind)
    if (home === null) {
      if (!isStrict(capability)) continue
      const text = `The argument ${quoted(names[0] ?? '')} is declared as ${kind}, and the passport holds no capability for it.`
      return reason('oap.unknown_capability', text)
    }
    const refused = checkKind({ ...call, kind, values }, home)
    if (refused) return refused
  }
  return null
}

interface Declared extends DeclaredCall {
  readonly kind: string
  readonly values: readonly Json[]
}

function checkKind(call: Declared, home: string): PolicyReason | null {
  const { kind, values, passport, request } = call
  const texts = values.filter((each) => typeof each === 'string' && each !== '')
  if (texts.length < values.length)
    return badContext(`What is declared as ${kind} must be a text that is not empty.`)
  const inForce = limitsInForce(passport, home)
  if (!inForce.ok) return inForce.why
  const capability = checkedAs(home)
  const words = texts.filter((each) => typeof each === 'string')
  const as = (args: JsonObject): LimitedCall => ({
    ...call,
    capability,
    limits: inForce.limits,
    request: { ...request, args },
  })
  switch (kind) {
    case 'path':
    case 'readPath':
      return checkPaths(as({}), words)
    case 'url':
    case 'host':
      return firstOf(...words.map((word) => () => checkUrl(as({}), word)))
    case 'recipient':
      return checkRecipients(as({}), words)
    case 'command':
      return checkCommandCall(as({ command: words }))
    default: {
      const table = fieldTableOf(capability)
      const { allowed_repos, allowed_repositories } = table ?? {}
      const own = {
        ...(allowed_repos && { allowed_repos }),
        ...(allowed_repositories && { allowed_repositories }),
      }
      const repositories = { ...as({ repository: words }), assurance: passport.assurance }
      return checkFields(own, repositories)
    }
  }
}

/** Refuses an argument that looks like a path, an address or a recipient, and that neither the tool nor a check names. */
export function checkUndeclared(call: DeclaredCall): PolicyReason | null {
  const { capability, request, passport } = call
  const { none = [], ...kinds } = request.judged ?? {}
  const known = new Set(Object.values(kinds).flat())
  const within = [...none, ...lookedAtBy(capability).map((name) => name.split('.')[0] ?? '')]
  const counts = ({ look, byName }: SeenArgument): boolean => {
    const limited = ownNamesOf(capability, look).length > 0 || hasLimits(passport, look)
    return limited || (!byName && isStrict(capability))
  }
  for (const { path, name, text } of textsOf(request.args)) {
    if (known.has(path) || within.some((each) => path === each || path.startsWith(`${each}.`)))
      continue
    const found = seen(name, text)
    if (found === null || !counts(found)) continue
    const what = {
      path: 'a path',
      url: 'an address',
      host: 'a host',
      recipient: 'a recipient',
      command: 'a command',
    }
    const why = `The argument ${quoted(path)} looks like ${what[found.look]}, and the tool does not declare it: say what it is in "judged" of the tool.`
    return reason('oap.undeclared_argument', why)
  }
  return null
}

const hasLimits = (passport: Passport, look: LooksLike): boolean =>
  homeOf(passport, look) !== null || (look === 'path' && homeOf(passport, 'readPath') !== null)

interface Text {
  readonly path: string
  readonly name: string
  readonly text: string
}

/** Every text in the arguments, and the keys of objects below them: some tools have paths as keys. */
function* textsOf(value: Json, path = '', name = ''): Iterable<Text> {
  if (typeof value === 'string') yield { path, name, text: value }
  else if (Array.isArray(value)) for (const each of value) yield* textsOf(each, path, name)
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      // The names at the top are the tool's; below them, keys are values of the model's.
      if (path !== '' && /[\\/:@~]/.test(key)) yield { path, name: '', text: key }
      // A name with a dot in it is no way into an object.
      const step = key.includes('.') ? `[${key}]` : key
      yield* textsOf(each, path === '' ? step : `${path}.${step}`, key)
    }
}
