/** The measures of all messages of a prompt, without looking at those again that were in the prompt before. */
import {
  checkPairing,
  createPairing,
  imageBytesIn,
  type PairingViolation,
  type Prompt,
  type PromptMessage,
} from '@signalbox/core'

export interface Measured {
  /** Its length as JSON, in bytes, and what its images weigh as. */
  readonly bytes: number
  /** Does a text of a user or of the model stand elsewhere, for its length? */
  readonly hasBlob: boolean
  /** How its calls and results are paired wrongly. */
  violations(): readonly PairingViolation[]
}

/** Measures a prompt that grows: the first `kept` messages are those of the last time. */
export type Measure = (prompt: Prompt, kept: number) => Measured

export function createMeasure(): Measure {
  const check = createPairing()
  /** Of all messages up to each. */
  const bytes: number[] = []
  const blobs: number[] = []
  let unchecked = 0
  let newest: Prompt = []
  return (prompt, kept) => {
    bytes.length = Math.min(bytes.length, kept)
    blobs.length = bytes.length
    unchecked = Math.min(unchecked, kept)
    newest = prompt
    for (const message of prompt.slice(bytes.length)) {
      bytes.push((bytes.at(-1) ?? 0) + jsonBytes(message) + imageBytes(message))
      blobs.push((blobs.at(-1) ?? 0) + (holdsBlob(message) ? 1 : 0))
    }
    return {
      bytes: listBytes(bytes.at(-1) ?? 0, prompt.length),
      hasBlob: (blobs.at(-1) ?? 0) > 0,
      violations() {
        // Another prompt of the same conversation came between.
        if (prompt !== newest) return checkPairing(prompt)
        const violations = check(prompt, unchecked)
        unchecked = prompt.length
        return violations
      },
    }
  }
}

/** The bytes of text that the images of a message weigh as. */
function imageBytes(message: PromptMessage): number {
  if (message.role === 'tool')
    return message.results.reduce((sum, { output }) => sum + imageBytesIn(output.content), 0)
  return message.role === 'user' ? imageBytesIn(message.parts) : 0
}

/** Measures one prompt. */
export const measured = (prompt: Prompt): Measured => createMeasure()(prompt, 0)

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** The length of a list as JSON: its items, the commas between them, and two brackets. */
export const listBytes = (ofItems: number, items: number): number =>
  ofItems + Math.max(0, items - 1) + 2

export const holdsBlob = (message: PromptMessage): boolean =>
  (message.role === 'user' || message.role === 'assistant') &&
  message.parts.some((part) => part.type === 'blob')
