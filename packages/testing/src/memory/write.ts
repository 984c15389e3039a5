/** Writing one event: sequence, digest, link. */
import type { EventDraft, StoredEvent } from '@signalbox/engine'
import { chainDigest, link } from './chain.ts'
import type { RunRow, Tables } from './tables.ts'
import { noteTitle } from './titles.ts'

export function write(
  tables: Tables,
  run: RunRow,
  event: { readonly draft: EventDraft; readonly key: string | null; readonly fact: boolean },
): void {
  const { draft, key, fact } = event
  const seq = run.seq + 1
  const digest = chainDigest(draft, { key, threadId: run.threadId })
  const hash = link(run.headHash, seq, digest)
  const stored: StoredEvent = {
    runId: run.runId,
    seq,
    tenantId: run.tenantId,
    threadId: run.threadId,
    type: draft.type,
    version: draft.version,
    at: draft.at,
    actor: draft.actor,
    tool: draft.tool,
    verdict: draft.verdict,
    key,
    payload: draft.payload,
    salt: draft.salt,
    payloadHash: draft.payloadHash,
    digest,
    hash,
    position: String((tables.written += 1)).padStart(20, '0'),
  }
  tables.events.get(run.runId)?.push(stored)
  noteTitle(tables, stored)
  if (key !== null) tables.keys.get(run.runId)?.add(key)
  run.seq = seq
  run.headHash = hash
  if (fact) run.facts = seq
}
