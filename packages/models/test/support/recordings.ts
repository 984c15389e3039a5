/** The recorded streams that lie beside the repository. Absent on a plain checkout: tests of them are skipped then. */
import { existsSync, readFileSync } from 'node:fs'
import type { JsonObject } from '@signalbox/core'
import type { Wire } from '../../src/observer/wires.ts'
import { fields, list, parseJson } from '../../src/read.ts'
import type { Provider } from './call.ts'
import type { Event } from './wire-bytes.ts'

export const folder = new URL('../../../../../shared/recordings/', import.meta.url)

export const skipReason = existsSync(new URL('expected.json', folder))
  ? false
  : 'the recorded streams are not beside the repository'

export interface ExpectedCall {
  readonly name: string
  readonly argsSha256: string
  readonly argsBytes: number
  readonly args: JsonObject
  /** What stands on the wire, where it is not what is executed. */
  readonly wireArgs?: string
}

export interface Recording {
  readonly file: string
  readonly wire: Wire
  readonly events: number
  readonly textLength: number
  readonly reasoningLength?: number
  readonly toolCalls: readonly ExpectedCall[]
  readonly incompleteToolCalls: readonly { readonly name: string; readonly argsBytes: number }[]
  readonly finishReasonRaw: string
  readonly aiSdk: {
    readonly finish: { readonly unified: string; readonly raw: string | null } | null
  }
  readonly verdict: string
  readonly toolCallsExecutable: boolean
}

export function loadRecordings(): readonly Recording[] {
  if (skipReason) return []
  const source = readFileSync(new URL('expected.json', folder), 'utf8')
  return list(fields(parseJson(source))?.['recordings']).filter(isRecording)
}

/** The file is the specification of these tests: what makes a recording is checked, its details are believed. */
function isRecording(value: unknown): value is Recording {
  const recording = fields(value)
  return (
    typeof recording?.['file'] === 'string' &&
    typeof recording['wire'] === 'string' &&
    typeof recording['verdict'] === 'string' &&
    Array.isArray(recording['toolCalls']) &&
    Array.isArray(recording['incompleteToolCalls'])
  )
}

/** The events of a recording, in order. */
export function readEvents(recording: Recording): readonly Event[] {
  const source = readFileSync(new URL(recording.file, folder), 'utf8')
  const lines = recording.file.endsWith('.chunks.txt')
    ? source.split('\n')
    : source.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
  return lines.flatMap((line) => {
    const event = fields(parseJson(line.trim()))
    return event ? [event] : []
  })
}

/** The upstream bytes of a recording, without what was appended to it. */
export function readBytes(recording: Recording, withoutTail: number): Uint8Array {
  const bytes = readFileSync(new URL(recording.file, folder))
  return bytes.subarray(0, bytes.length - withoutTail)
}

/** Providers through which a recording is played: every package that speaks its wire. */
export function providersOf(recording: Recording): readonly Provider[] {
  switch (recording.wire) {
    case 'chat':
      return /^(openai|azure)\//.test(recording.file)
        ? ['openai', 'azure', 'openai-compatible']
        : ['openai-compatible']
    case 'responses':
      return ['openai-responses']
    case 'messages':
      return ['anthropic']
    case 'gemini':
      return ['google']
    case 'converse':
      return ['amazon-bedrock']
  }
}

/** The index of the event that holds the terminal: read from the wire's rules, not by the observer. */
export function terminalIndex({ wire }: Recording, events: readonly Event[]): number {
  const marks: Readonly<Record<Wire, RegExp>> = {
    chat: /"finish_reason":\s*"/,
    messages: /"type":\s*"message_stop"/,
    gemini: /"finishReason"|"blockReason"/,
    responses: /"type":\s*"response\.(completed|failed|incomplete)"/,
    converse: /"messageStop"/,
  }
  return events.findIndex((event) => marks[wire].test(JSON.stringify(event)))
}
