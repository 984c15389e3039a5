/**
 * A passport in a file. It is read whole at every look, not only when its time or size changed: `active` and `revoked`
 * may be equally long, and two writes may share one tick of the file system's clock. Write it by rename: half a
 * passport is none, and denies.
 */
import { open, stat } from 'node:fs/promises'
import { bounds } from '../bounds.ts'
import { type LookResult, type Look, passportIn } from './look.ts'

const missing: LookResult = { how: 'missing', message: 'There is no passport at its path.' }

/** Looks at a file. Rejects when it is there and cannot be read. */
export function fileLook(path: string): Look {
  return async () => {
    try {
      // Before it is opened: opening a pipe would wait for a writer.
      if (!(await stat(path)).isFile()) return missing
      return await read(path)
    } catch (error) {
      if (isAbsence(error)) return missing
      throw error
    }
  }
}

async function read(path: string): Promise<LookResult> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(bounds.passportBytesMax + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) return passportIn(buffer.toString('utf8', 0, length))
      length += bytesRead
    }
    return { how: 'invalid', message: `The passport exceeds ${bounds.passportBytesMax} bytes.` }
  } finally {
    await file.close()
  }
}

const isAbsence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
