import { approvalsOf } from './approvals.ts'
import { assistantsOf } from './assistants.ts'
import { eventsOf } from './events.ts'
import type { ServerInfo } from './generated.ts'
import { inputsOf } from './inputs.ts'
import type { ClientOptions } from './options.ts'
import { queuesOf } from './many-runs.ts'
import { pausesOf } from './pauses.ts'
import { createRequest } from './request.ts'
import { type Abortable, runsOf } from './runs.ts'
import { threadsOf } from './threads.ts'
import { createTransport } from './transport.ts'

/** A client of one server. It holds no connection that must be closed. */
export type Client = ReturnType<typeof createClient>

/**
 * Makes a client. Throws a TypeError or a RangeError for options that cannot be. Methods answer what is to be expected, also
 * that something is not there; they reject with a SignalboxError for other refusals and for a server that stays away, and
 * with the reason of the caller's signal when that is aborted.
 */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options)
  const request = createRequest(transport)
  return {
    runs: runsOf(transport, request),
    threads: threadsOf(request),
    approvals: approvalsOf(request),
    inputs: inputsOf(request),
    events: eventsOf(transport, request),
    assistants: assistantsOf(request),
    queues: queuesOf(request),
    pauses: pausesOf(request),
    /** Version and roles of the server. */
    info: ({ signal }: Abortable = {}): Promise<ServerInfo> => request('GET /info', { signal }),
    /** Any operation of the API by its name. Say `repeatable` of one that may be sent twice. */
    request,
  }
}
