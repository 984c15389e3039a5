/** The prompt of `run -`: all of standard input. */
import { usageFailure } from '../failure.ts'

/** More than a request to the API may hold. */
const bytesMax = 1024 * 1024

/** Reads it to its end; the line break at the end is not part of it. @throws Failure */
export async function readPrompt(
  input: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean },
): Promise<string> {
  if (input.isTTY === true) process.stderr.write('Type the prompt. Ctrl-D ends it.\n')
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of input) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : part
    bytes += chunk.byteLength
    if (bytes > bytesMax)
      throw usageFailure(
        `Standard input holds more than ${bytesMax} bytes, which no request may have. Give the agent a file of its workspace instead.`,
      )
    parts.push(chunk)
  }
  const text = decoded(Buffer.concat(parts)).replace(/\r?\n$/, '')
  if (text.trim() === '')
    throw usageFailure(
      'Standard input holds no prompt: it is empty. Type: echo "Hello." | signalbox run -',
    )
  return text
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usageFailure('Standard input is no text in UTF-8.')
  }
}
