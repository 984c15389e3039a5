/** The parts that adapters have in common: outputs within their limit, files that can be kept, and how a command ended. */
import type { FileDraft } from '@signalbox/engine'
import { parsePath } from '../workspace/path.ts'
import { refuse, type WorkspaceResult } from '../workspace/refusal.ts'
import type { EndedCommand } from './sandbox.ts'

/** The two outputs of a command. Both together are bounded: what comes beyond is counted, and dropped. */
export class Outputs {
  readonly #bytesMax: number
  readonly #chunks = { stdout: new Array<Uint8Array>(), stderr: new Array<Uint8Array>() }
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Takes a piece, and answers what of it was within the limit. */
  add(stream: 'stdout' | 'stderr', chunk: Uint8Array): Uint8Array {
    const room = Math.max(0, this.#bytesMax - this.#bytes)
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room)
    this.#bytes += chunk.length
    if (kept.length > 0) this.#chunks[stream].push(kept)
    return kept
  }

  /** Written in all, dropped bytes too. */
  get bytes(): number {
    return this.#bytes
  }

  get isFull(): boolean {
    return this.#bytes > this.#bytesMax
  }

  of(stream: 'stdout' | 'stderr'): Uint8Array {
    return Buffer.concat(this.#chunks[stream])
  }
}

/** A command that was never started, or whose sandbox failed. */
export const notRun = (ended: 'cancelled' | 'lost', reason?: string): EndedCommand => ({
  exitCode: null,
  signal: null,
  ended,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  usage: { wallMs: 0, cpuMs: null, maxRssBytes: null, outputBytes: 0 },
  egress: [],
  ...(reason === undefined ? {} : { reason }),
})

/** The drafts, if each of them has a path that can be kept. The message names the path. */
export function checkedDrafts(drafts: readonly FileDraft[]): WorkspaceResult<readonly FileDraft[]> {
  for (const { path } of drafts) {
    const parsed = parsePath(path)
    if (parsed.ok) continue
    const shown = JSON.stringify(path.slice(0, 200).toWellFormed())
    return refuse(parsed.code, `${shown}: ${parsed.message}`)
  }
  return { ok: true, value: drafts }
}
