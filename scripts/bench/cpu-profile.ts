/** CPU profiles of this process, and what they say. */
import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'

/** Called with null it starts profiling, with a file name it stops and writes. */
export function profiler(): (file: string | null) => Promise<void> {
  const session = new Session()
  return async (file) => {
    if (file === null) {
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: 500 })
      await session.post('Profiler.start')
      return
    }
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    await writeFile(file, JSON.stringify(profile))
  }
}
