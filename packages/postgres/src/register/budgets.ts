/** Budgets of trees of runs: functions of the migration, each one round trip, none holds a lock of a run or an effect. */
import type { BudgetPort, Reserved } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { compile, fetchRows, only } from '../query.ts'

interface Answer {
  readonly code: Reserved['code']
  readonly budget: Extract<Reserved, { code: 'refused' }>['budget']
  readonly used: number
  readonly limit: number
}

export function budgetsOf(pool: Pool): BudgetPort {
  return {
    async openBudget({ rootId, tenantId, turns, calls, tokens, cost }) {
      const open = sql<object>`
        select signalbox.open_budget(${rootId}, ${tenantId}, ${turns}, ${calls}, ${tokens}, ${cost})`
      await fetchRows(pool, compile(open), 'open_budget')
    },
    async reserve({ rootId, runId, effectId, turns, calls, tokens, cost }) {
      const reserved = sql<Answer>`
        select code, budget, used::float8 as used, "limit"::float8 as "limit"
        from signalbox.reserve_budget(${rootId}, ${runId}, ${effectId}, ${turns}, ${calls},
          ${tokens}, ${cost})`
      const row = only(await fetchRows(pool, compile(reserved), 'reserve_budget'))
      const { code, budget, used, limit } = row
      return code === 'ok' ? { code } : { code, budget, used, limit }
    },
    async spend({ rootId, effectId }, { tokens, cost }) {
      const spent = sql<object>`
        select signalbox.spend_budget(${rootId}, ${effectId}, ${tokens}, ${cost})`
      await fetchRows(pool, compile(spent), 'spend_budget')
    },
    settleBudgets: () =>
      fetchRows(
        pool,
        compile(sql<{ rootId: string; problem: string }>`
          select root as "rootId", problem from signalbox.settle_budgets()`),
        'settle_budgets',
      ),
  }
}
