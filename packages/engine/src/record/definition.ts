/**
 * Definitions are addressed by the hash of what they say, and a definition decides what a run may do.
 *
 * F1 A stored definition is hashed as it lies there, before anything is read from it: one that was edited is no definition of
 *    any build, whatever it says.
 * F2 Nothing is decided, claimed or executed by one whose hash differs. Its run is faulted, by name (I22): the fault is folded
 *    from the state alone, which takes no definition.
 * F3 A definition is hashed once per load: a process keeps only what it has checked.
 */
import { AgentDefinition, readDefinition } from '@signalbox/core'
import { TerminalError } from '../errors.ts'
import type { FactDraft } from '../ports.ts'
import { canonical, sha256, type Writer } from './draft.ts'

/** The code of what is wrong with an edited definition: of the error, of the fault of a run, of a problem of the API. */
export const definitionChanged = 'definition_changed'

/** sha256 of a definition as JSON by RFC 8785, hex. */
export const definitionHash = (definition: unknown): string => sha256(canonical(definition))

/** Reads what is stored under a hash. Throws as `checkStored`, and a `NewerError` for what this build does not know. */
export function readStored(hash: string, stored: unknown): AgentDefinition {
  checkStored(hash, stored)
  return readDefinition(stored)
}

/** Throws a `TerminalError` with the code `definition_changed` for what is not what its hash says. */
export function checkStored(hash: string, stored: unknown): void {
  const found = definitionHash(stored)
  if (found === hash) return
  throw new TerminalError(
    definitionChanged,
    `the definition ${hash} was changed: what is stored under it has the hash ${found}`,
  )
}

/** Was a definition changed? */
export const isChanged = (error: unknown): error is TerminalError =>
  error instanceof TerminalError && error.code === definitionChanged

/** The fault of a run whose definition was changed. Of all who find it so, one records it. */
export const changedFact = (writer: Writer, { message }: TerminalError): FactDraft =>
  writer.fact('run.faulted', { code: definitionChanged, message }, { key: 'fault' })

/** Stands where a run must be faulted and its own definition cannot be had. Nothing but the fault is folded with it. */
export const noDefinition = (name: string): AgentDefinition =>
  AgentDefinition.parse({
    name,
    model: { provider: 'scripted', model: '-' },
    instructions: '',
    tools: [],
  })
