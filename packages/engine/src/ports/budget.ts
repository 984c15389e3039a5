/**
 * The budget of a tree of runs: what the run at the top had left when it started its first child. All runs of the tree take
 * from it, each before it asks a model or executes a call. Runs that start no runs have none.
 *
 * G1 A reservation is made only while spent and reserved together are below the limit, under one lock: the limit is exceeded
 *    by at most one reservation, however many runs reserve at once, and by what calls use beyond theirs.
 * G2 An effect holds at most one reservation, and spends it once: repeating either changes nothing.
 */
import type { Budget } from '@signalbox/core'

/** The limits of a tree. Money in millionths of the currency's unit. */
export interface TreeBudget {
  readonly rootId: string
  readonly tenantId: string
  readonly turns: number
  readonly calls: number
  readonly tokens: number
  /** Null: no limit. */
  readonly cost: number | null
}

/** The usage that an effect is about to have: tokens and money at most, turns and calls for certain. */
export interface Reservation {
  readonly rootId: string
  readonly runId: string
  readonly effectId: string
  readonly turns: 0 | 1
  readonly calls: 0 | 1
  readonly tokens: number
  readonly cost: number
}

/** `used` is what is spent and reserved without the one that was asked for. */
export type Reserved =
  | { readonly code: 'ok' }
  | {
      readonly code: 'refused'
      readonly budget: Budget
      readonly used: number
      readonly limit: number
    }

export interface BudgetPort {
  /** Makes the budget of a tree, if it has none. */
  openBudget(budget: TreeBudget): Promise<void>
  /**
   * Takes from the budget of a tree. A second reservation of an effect replaces the first, and counts no turn and no call.
   * Without a budget the run at the top has not started a run yet, and may; any other run is refused.
   */
  reserve(reservation: Reservation): Promise<Reserved>
  /** Gives the reservation of an effect back, and counts what it used of tokens and money. */
  spend(
    effect: { readonly rootId: string; readonly effectId: string },
    used: { readonly tokens: number; readonly cost: number },
  ): Promise<void>
  /**
   * Gives back what effects that are over still hold; forgets the budgets of trees whose run at the top has ended. Each tree by
   * itself: answers those that could not be settled.
   */
  settleBudgets(): Promise<readonly { readonly rootId: string; readonly problem: string }[]>
}
