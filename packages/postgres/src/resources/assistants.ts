/** The assistants of a tenant. Reads go through RLS, writes through functions that check the tenant. */
import { type JsonObject, limits, type NotePayload } from '@signalbox/core'
import { ledgerDraft, systemClock, systemRandom } from '@signalbox/engine'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile, inMs, isUuid, only, pageSize } from '../query.ts'
import type { Page } from '../read/listings.ts'
import type { AsTenant } from '../read/tenant-session.ts'

/** The content of a version. */
export interface AssistantContent {
  /** The name of the configured agent that it is made of. */
  readonly agent: string
  readonly name: string
  readonly description: string | null
  readonly metadata: JsonObject
  readonly config: JsonObject
  readonly context: JsonObject
}

/** A version of an assistant. Times in milliseconds since the epoch. */
export interface StoredAssistant extends AssistantContent {
  /** A UUID. */
  readonly assistantId: string
  readonly version: number
  /** How many versions were made. */
  readonly versions: number
  /** Of this version. */
  readonly createdAt: number
  /** Of the assistant. */
  readonly updatedAt: number
}

/** A version to write. */
export interface AssistantPut extends AssistantContent {
  readonly tenantId: string
  readonly assistantId: string
  /** The actor who writes it. */
  readonly actor: string
}

/** Which version is to be used, and who says so. */
export interface VersionChoice {
  readonly version: number
  readonly actor: string
}

/** Assistants of one tenant. What belongs to another one is not there. A change that was made is in the ledger. */
export interface Assistants {
  /** The version that runs use. */
  assistant(tenantId: string, assistantId: string): Promise<StoredAssistant | null>
  /** The versions that runs use, of all assistants: at most `limits.assistantsMax`. */
  all(tenantId: string): Promise<readonly StoredAssistant[]>
  /** Newest first: all, or those whose metadata has these keys and values. */
  versions(
    tenantId: string,
    assistantId: string,
    page: Page & { readonly metadata?: JsonObject },
  ): Promise<readonly StoredAssistant[]>
  /** `exists`: the id is taken. `full`: the tenant has `limits.assistantsMax`. */
  create(assistant: AssistantPut): Promise<'ok' | 'exists' | 'full'>
  /**
   * Writes the next version of who saw so many. `moved`: there is another one by now, or no assistant any more. `full`: it
   * has `limits.assistantVersionsMax`.
   */
  change(assistant: AssistantPut, seen: number): Promise<'ok' | 'moved' | 'full'>
  /** Is there this version? Then runs use it from now on. */
  choose(tenantId: string, assistantId: string, change: VersionChoice): Promise<boolean>
  /** Was it there? */
  delete(tenantId: string, assistantId: string, actor: string): Promise<boolean>
}

const stored = (chosen: RawBuilder<unknown>) => sql<StoredAssistant>`
  select a.id as "assistantId", v.version, a.versions, v.agent, v.name, v.description, v.metadata, v.config, v.context,
    ${inMs('v.created_at')} as "createdAt", ${inMs('a.updated_at')} as "updatedAt"
  from signalbox.assistant a
    join signalbox.assistant_version v on v.tenant_id = a.tenant_id and v.id = a.id ${chosen}`

const current = stored(sql`and v.version = a.version`)

/** The record of a change. */
interface Recorded {
  readonly tenantId: string
  readonly actor: string
  readonly change: NotePayload<'assistant.changed'>
}

/** A change with its record, in one statement: the record is made where the answer of the change is `done`. */
function recorded<Answer>(
  { tenantId, actor, change }: Recorded,
  call: RawBuilder<Answer>,
  done: Answer,
): CompiledQuery<{ readonly answer: Answer }> {
  const draft = ledgerDraft(
    { clock: systemClock, random: systemRandom },
    { tenant: tenantId, type: 'assistant.changed', payload: change, actor },
  )
  return compile(sql<{ readonly answer: Answer }>`
    with changed as materialized (select ${call} as answer)
    select answer, case when answer = ${done}
      then signalbox.record_in_ledger(${JSON.stringify(draft)}::jsonb) end as recorded
    from changed`)
}

/** The assistants over sessions that read, and that write. */
export function assistantsOf(read: AsTenant, write: AsTenant): Assistants {
  const put = async <Code extends string>(
    assistant: AssistantPut,
    seen: number | null,
    ok: Code,
  ) => {
    const { tenantId, actor, assistantId, agent } = assistant
    const call = sql<Code>`signalbox.put_assistant(${JSON.stringify(assistant)}::jsonb, ${seen}::int)`
    const change = {
      assistant: assistantId,
      change: seen === null ? ('created' as const) : ('updated' as const),
      agent,
      version: (seen ?? 0) + 1,
    }
    return only(await write(tenantId, recorded({ tenantId, actor, change }, call, ok))).answer
  }
  const done = async (about: Recorded, call: RawBuilder<boolean>) =>
    only(await write(about.tenantId, recorded(about, call, true))).answer
  return {
    async assistant(tenantId, assistantId) {
      if (!isUuid(assistantId)) return null
      const query = sql<StoredAssistant>`${current} where a.id = ${assistantId}`
      return (await read(tenantId, compile(query)))[0] ?? null
    },
    all: (tenantId) =>
      read(
        tenantId,
        compile(sql<StoredAssistant>`${current} order by a.id limit ${limits.assistantsMax}`),
      ),
    async versions(tenantId, assistantId, page) {
      if (!isUuid(assistantId)) return []
      const having = JSON.stringify(page.metadata ?? {})
      const query = sql<StoredAssistant>`${stored(sql``)}
        where a.id = ${assistantId} and v.metadata @> ${having}::jsonb
        order by v.version desc limit ${pageSize(page.limit, limits.pageMax)} offset ${page.offset ?? 0}`
      return read(tenantId, compile(query))
    },
    create: (assistant) => put<'ok' | 'exists' | 'full'>(assistant, null, 'ok'),
    change: (assistant, seen) => put<'ok' | 'moved' | 'full'>(assistant, seen, 'ok'),
    choose: async (tenantId, id, { version, actor }) =>
      isUuid(id) &&
      done(
        { tenantId, actor, change: { assistant: id, change: 'latest_set', version } },
        sql`signalbox.choose_version(${tenantId}, ${id}, ${version}::int)`,
      ),
    delete: async (tenantId, id, actor) =>
      isUuid(id) &&
      done(
        { tenantId, actor, change: { assistant: id, change: 'deleted', version: null } },
        sql`signalbox.delete_assistant(${tenantId}, ${id})`,
      ),
  }
}
