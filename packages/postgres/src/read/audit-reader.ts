/** Questions of audits, each within a time that the database is given. */
import {
  type AuditPage,
  feedPage,
  type SearchFilter,
  searchPage,
  searchQuery,
} from './audit-search.ts'
import type { AuditFilter } from './audit-filter.ts'
import { type AuditScope, isScoped, scopeQuery } from './audit-scope.ts'
import { type StatsGroup, statsQuery, type StatsWish } from './audit-stats.ts'
import { auditQuery, type PieceEnd, pieceEndQuery } from './audit.ts'
import { bounding } from './bounded.ts'
import {
  type AnswerPage,
  answerPage,
  askedOfRuns,
  type QuestionFilter,
  questionQuery,
} from './questions/ask.ts'
import type { QuestionName } from './questions/catalogue.ts'
import type { AsTenant } from './tenant-session.ts'
import { type UsageFilter, type UsageGroup, type UsageKey, usageQuery, usedIn } from './usage.ts'
import { type UsedDefinition, usedDefinitionQuery } from './used-definition.ts'

/** The audit of one tenant. Every method throws `TooBroad` for what takes longer than `limits.auditMsMax`. */
export interface AuditReader {
  /** A page of the feed; with a text, of the events that hold it. */
  audit(tenantId: string, filter: SearchFilter): Promise<AuditPage>
  /** Where the next `size` events of the feed end; null if there are none. `q` is not for it. */
  auditPiece(tenantId: string, filter: AuditFilter, size: number): Promise<PieceEnd | null>
  /** Counts by up to `limits.statsKeysMax` keys, one group more than `limits.statsGroupsMax` if there is one. */
  auditStats(
    tenantId: string,
    filter: SearchFilter,
    wish: StatsWish,
  ): Promise<readonly StatsGroup[]>
  /** A page of the answer to a question. */
  auditAnswers(tenantId: string, name: QuestionName, filter: QuestionFilter): Promise<AnswerPage>
  /** Usage by groups, one group more than `limits.statsGroupsMax` if there is one. */
  usage(
    tenantId: string,
    filter: UsageFilter,
    by: readonly UsageKey[],
  ): Promise<readonly UsageGroup[]>
  /** Null for a definition that no run of the tenant has used. */
  usedDefinition(tenantId: string, hash: string): Promise<UsedDefinition | null>
}

/** The audit over the session of a tenant. */
export function auditReader(as: AsTenant): AuditReader {
  const bounded = bounding(as)
  const scopeOf = async (tenantId: string, filter: AuditFilter): Promise<AuditScope | null> =>
    (await bounded(tenantId, scopeQuery(filter)))[0] ?? null
  /** A page without anything to narrow is spared the question. */
  const scopeOfPage = async (tenantId: string, filter: AuditFilter) =>
    isScoped(filter) ? scopeOf(tenantId, filter) : null
  return {
    async audit(tenantId, filter) {
      const scope = await scopeOfPage(tenantId, filter)
      return filter.q === undefined
        ? feedPage(await bounded(tenantId, auditQuery(filter, scope)), filter)
        : searchPage(await bounded(tenantId, searchQuery(filter, filter.q, scope)), filter)
    },
    async auditPiece(tenantId, filter, size) {
      const scope = await scopeOfPage(tenantId, filter)
      return (await bounded(tenantId, pieceEndQuery(filter, size, scope)))[0] ?? null
    },
    async auditStats(tenantId, filter, wish) {
      const scope = await scopeOf(tenantId, filter)
      return bounded(tenantId, statsQuery(filter, wish, scope))
    },
    async auditAnswers(tenantId, name, filter) {
      const scope = await scopeOfPage(tenantId, askedOfRuns(name, filter))
      return answerPage(await bounded(tenantId, questionQuery(name, filter, scope)), {
        name,
        filter,
      })
    },
    usage: async (tenantId, filter, by) => {
      const scope = await scopeOf(tenantId, usedIn(filter))
      return bounded(tenantId, usageQuery({ tenantId, filter }, by, scope))
    },
    usedDefinition: async (tenantId, hash) =>
      (await bounded(tenantId, usedDefinitionQuery(tenantId, hash)))[0] ?? null,
  }
}
