/** A client of AG-UI makes its own ids, of any form. What cannot be one of ours is stood for by one that follows from it. */
import { type Caller, uuidOf } from '@signalbox/engine'
import { isId } from '../../http/wire/ids.ts'

/** Keys of this form are given by the engine alone. */
const isReserved = (text: string): boolean => text.startsWith('child:')

/** The thread that a `threadId` names: itself where it can be, so that it is the same thread on every wire. */
export const threadOf = ({ tenantId }: Caller, threadId: string): string =>
  isId(threadId) ? threadId : uuidOf(`ag-ui thread\n${tenantId}\n${threadId}`)

/** The alias of the run that a `runId` names. */
export const aliasOf = ({ tenantId }: Caller, runId: string): string =>
  isId(runId) && !isReserved(runId) ? runId : uuidOf(`ag-ui run\n${tenantId}\n${runId}`)
