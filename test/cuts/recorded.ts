/** The recordings as streams, each with what must come of it whole: `expected.json`. */
import { readFileSync } from 'node:fs'
import type { JsonObject, ToolSpec } from '@signalbox/core'
import type { Wire } from '../../packages/models/src/observer/wires.ts'
import { type Provider, tool } from '../../packages/models/test/support/call.ts'
import {
  folder,
  loadRecordings,
  readEvents,
  type Recording,
} from '../../packages/models/test/support/recordings.ts'
import { done, type Frame, frameOf, framesOf } from './frames.ts'
import { type Said, saidBy } from './said.ts'

/** A call that must be executed: its name, and its arguments as the model meant them. */
export interface Call {
  readonly name: string
  readonly args: JsonObject
}

/** A stream of a provider that ended in its own way. */
export interface Recorded {
  readonly name: string
  readonly wire: Wire
  readonly frames: readonly Frame[]
  readonly tools: readonly ToolSpec[]
  /** What must be executed once the last word has come. */
  readonly calls: readonly Call[]
  readonly verdict: string
  readonly said: Said
  /** Pieces of the arguments, which must be nowhere in a turn that is not positive. */
  readonly canaries: readonly string[]
}

/** Every provider of the configuration that speaks the wire. */
export const providersOn: Readonly<Record<Wire, readonly Provider[]>> = {
  chat: ['openai-compatible', 'openai', 'azure'],
  responses: ['openai-responses'],
  messages: ['anthropic'],
  gemini: ['google'],
  converse: ['amazon-bedrock'],
}

export const recordedStreams = (): readonly Recorded[] => loadRecordings().map(recordedOf)

function recordedOf(recording: Recording): Recorded {
  const { file, wire, verdict, toolCallsExecutable: runs } = recording
  const isRaw = !file.endsWith('.chunks.txt')
  const frames = isRaw
    ? framesOf(readFileSync(new URL(file, folder), 'utf8'))
    : [
        ...readEvents(recording).map((event) => frameOf(wire, event)),
        ...(wire === 'chat' ? [done] : []),
      ]
  const names = [...recording.toolCalls, ...recording.incompleteToolCalls].map(({ name }) => name)
  return {
    name: file,
    wire,
    frames,
    tools: [...new Set(names)].map((name) => tool(name)),
    calls: runs ? recording.toolCalls.map(({ name, args }) => ({ name, args })) : [],
    verdict,
    said: saidBy(wire, frames),
    canaries: canariesOf(recording.toolCalls.map(({ args }) => JSON.stringify(args)).join(' ')),
  }
}

/** Values of arguments that are long enough to be found by chance nowhere. */
export const canariesOf = (args: string): readonly string[] =>
  [...args.matchAll(/:\s*"([^"\\]{4,})/g)].map(([, value]) => value ?? '')
