/** Pauses: an agent, a tool or a queue starts nothing new for a while. */
import { orElse } from './expected.ts'
import type { Pause, PauseCreate } from './generated.ts'
import type { Request } from './request.ts'
import type { Abortable } from './runs.ts'

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Pauses = ReturnType<typeof pausesOf>

/** Makes the methods. */
export function pausesOf(request: Request) {
  return {
    /** Those that stand, in the order in which they were set. */
    list: ({ signal }: Abortable = {}): Promise<Pause[]> => request('GET /pauses', { signal }),
    /**
     * From the answer on nothing new of the target starts. `until` is ISO 8601. A target that is paused already goes on so with
     * these words, under the same id.
     */
    set: ({ signal, ...body }: PauseCreate & Abortable): Promise<Pause> =>
      request('POST /pauses', { body, signal, repeatable: true }),
    /** Lets what is paused go on. False: there is no such pause. */
    lift: (pauseId: string, { signal }: Abortable = {}): Promise<boolean> =>
      orElse(
        request('DELETE /pauses/{pause_id}', {
          path: { pause_id: pauseId },
          signal,
          repeatable: true,
        }).then(() => true),
        { unknown_pause: () => false },
      ),
  }
}
