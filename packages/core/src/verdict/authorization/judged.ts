/**
 * What a tool says about its arguments: which of them are paths, addresses, recipients. Part of the tool's spec, so that a
 * run pins it. Where a tool says nothing, arguments are judged by the names that are usual.
 */
import { z } from 'zod'
import { argumentNames } from './argument-names.ts'

/** Kinds that an argument may be declared as, besides an argument that a limit of fields is compared with. */
const judgedKinds = [
  /** A file or folder: read under `data.file.read`, written under every other capability. */
  'path',
  /** A file or folder that is only read. */
  'readPath',
  'url',
  /** A host, with or without a port: a proxy, a server. */
  'host',
  /** A person or an address that something is sent to. */
  'recipient',
  'command',
  'repository',
  'amount',
  'currency',
  /** Free text, or anything else that no limit is about. */
  'none',
] as const

/** A kind of argument that limits are about. */
export type JudgedKind = (typeof judgedKinds)[number]

/**
 * Names of arguments by kind. A name with dots goes into objects and the elements of lists: `options.output`. A key that is
 * no kind is an argument of the table of limits, e.g. `base_branch`.
 */
export const JudgedArguments = z.record(
  z.string().min(1).max(100),
  z.array(z.string().min(1).max(200)).max(100),
)
export type JudgedArguments = z.infer<typeof JudgedArguments>

const declarable: ReadonlySet<string> = new Set([...judgedKinds, ...argumentNames])

/** What is wrong with a declaration as somebody writes it; null if nothing. */
export function judgedProblem(judged: JudgedArguments): string | null {
  const unknown = Object.keys(judged).find((key) => !declarable.has(key))
  if (unknown !== undefined)
    return `${unknown} is no kind of argument; there are ${judgedKinds.join(', ')}, and the arguments that limits are compared with, such as base_branch`
  const names = Object.values(judged).flat()
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? null : `the argument ${twice} is declared twice`
}
