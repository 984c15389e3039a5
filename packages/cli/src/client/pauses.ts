/** Pauses of agents, tools and queues. */
import { z } from 'zod'
import { Pause, type PauseTarget } from './documents.ts'
import { ask, inPath, sendRequest, type Server } from './http.ts'

/** The target of a pause, its reason and its end (ISO 8601). */
export interface PauseBody {
  readonly target: PauseTarget
  readonly reason: string
  readonly until?: string
}

/** These parts of a client. */
export const pausesClient = (server: Server) => ({
  pauses: () => ask(server, z.array(Pause), { path: '/pauses' }),
  pause: (body: PauseBody) => ask(server, Pause, { path: '/pauses', method: 'POST', body }),
  resume: async (pauseId: string): Promise<void> => {
    await sendRequest(server, `/pauses/${inPath(pauseId)}`, { method: 'DELETE' })
  },
})
