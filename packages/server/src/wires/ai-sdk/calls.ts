/**
 * Calls of a message, and what became of each.
 *
 * C1 A call is shown only when its turn has closed positively and the decision about it was seen (I23).
 * C2 Each call that was shown settles exactly once: an output, an error, or a denial. A denial is always the answer to a
 *    question, as the SDK has it: where no human was asked, we ask and answer ourselves (`isAutomatic`).
 */
import {
  type DecisionPayload,
  type FactPayload,
  partWords,
  questionToolName,
  type ToolCallPart,
  type ToolOutput,
} from '@signalbox/core'
import { imageAddress } from '../../http/wire/image-address.ts'
import { iso } from '../../http/wire/iso.ts'
import type { Chunk } from './chunk.ts'

interface Shown {
  readonly tool: string
  /** Null unless a human was asked. */
  readonly approvalId: string | null
  /** What the human said; null for nothing yet. */
  readonly approved: boolean | null
}

export class Calls {
  /** Those that have not settled. */
  readonly #open = new Map<string, Shown>()

  show({ id, name, args, invalid }: ToolCallPart): Chunk {
    // A page gives the output of a question, as of a tool of its own.
    const executed = name === questionToolName ? {} : ({ providerExecuted: true } as const)
    const call = { toolCallId: id, toolName: name, input: args, ...executed }
    if (invalid) return { type: 'tool-input-error', ...call, errorText: invalid.message }
    this.#open.set(id, { tool: name, approvalId: null, approved: null })
    return { type: 'tool-input-available', ...call }
  }

  /** Does a human have to say something before the run goes on? */
  get isAsking(): boolean {
    return [...this.#open.values()].some(
      ({ tool, approvalId, approved }) =>
        (approvalId !== null && !approved) || tool === questionToolName,
    )
  }

  ask(request: DecisionPayload<'approval.requested'>): readonly Chunk[] {
    const { callId, approvalId, reason, expiresAt, argsHash, policyId } = request
    const call = this.#open.get(callId)
    if (!call) return []
    this.#open.set(callId, { ...call, approvalId })
    const approvalDescriptor = {
      argsHash,
      ...(policyId === undefined ? {} : { policyId }),
      ...(expiresAt === null ? {} : { expiresAt: iso(expiresAt) }),
    }
    const because = reason === '' ? {} : { reason }
    const about = { approvalId, toolCallId: callId, approvalDescriptor }
    return [{ type: 'tool-approval-request', ...about, ...because }]
  }

  answer({ callId, decision, edited, note }: FactPayload<'approval.answered'>): readonly Chunk[] {
    const call = this.#open.get(callId)
    if (!call || call.approvalId === null) return []
    const approved = decision !== 'reject'
    this.#open.set(callId, { ...call, approved })
    const input: Chunk = {
      type: 'tool-input-available',
      toolCallId: callId,
      toolName: call.tool,
      input: edited?.args ?? {},
      providerExecuted: true,
    }
    const said = responded(call.approvalId, { approved, ...(note ? { reason: note } : {}) })
    return [...(edited ? [input] : []), said]
  }

  /** The call does not run, whoever said so. */
  deny(callId: string, reason: string): readonly Chunk[] {
    const call = this.#open.get(callId)
    if (!call) return []
    this.#open.delete(callId)
    const { approvalId, approved } = call
    // A human had allowed it: that stands, and something else came in between.
    if (approved === true) return [failed(callId, reason)]
    const denied: Chunk = { type: 'tool-output-denied', toolCallId: callId }
    if (approvalId === null) {
      const own = `auto-${callId}`
      return [
        { type: 'tool-approval-request', approvalId: own, toolCallId: callId, isAutomatic: true },
        responded(own, { approved: false, reason }),
        denied,
      ]
    }
    return [
      ...(approved === null ? [responded(approvalId, { approved: false, reason })] : []),
      denied,
    ]
  }

  /** What became of a call, and behind it the images that it showed, which are blobs of the thread. */
  settle(callId: string, output: ToolOutput, threadId: string): readonly Chunk[] {
    const call = this.#open.get(callId)
    if (!call) return []
    const { content, structured, isError } = output
    const text = content.map(partWords).join('')
    if (isError && call.approvalId !== null && call.approved !== true)
      return this.deny(callId, text)
    this.#open.delete(callId)
    const images = content.flatMap((part): readonly Chunk[] =>
      part.type === 'image'
        ? [{ type: 'file', url: imageAddress(threadId, part), mediaType: part.mime }]
        : [],
    )
    if (isError) return [failed(callId, text), ...images]
    const executed = call.tool === questionToolName ? {} : ({ providerExecuted: true } as const)
    const about = { toolCallId: callId, ...executed }
    return [{ type: 'tool-output-available', ...about, output: structured ?? text }, ...images]
  }

  /** The run is over: what has not settled never will. */
  end(): readonly Chunk[] {
    return [...this.#open.keys()].flatMap((callId) => this.settle(callId, missing, ''))
  }
}

const missing: ToolOutput = {
  content: [{ type: 'text', text: 'The run ended before this call had a result.' }],
  isError: true,
}

const responded = (
  approvalId: string,
  said: { readonly approved: boolean; readonly reason?: string },
): Chunk => ({ type: 'tool-approval-response', approvalId, ...said })

const failed = (toolCallId: string, errorText: string): Chunk => ({
  type: 'tool-output-error',
  toolCallId,
  errorText,
  providerExecuted: true,
})
