/**
 * Ports: what the use cases need of the world, stated by the code that needs it. Adapters live in other packages and
 * in `memory/`; `contract/` holds one suite per port, run against every adapter.
 *
 * P1 Only the Register is the truth. Every other port may lose, repeat, delay or reorder, and costs latency only.
 * P2 Expected outcomes are returned; a port throws only for what the caller cannot foresee (a lost connection).
 * P3 After a throw the caller does not know whether the operation happened, and must be able to repeat it.
 */
export type * from './ports/append.ts'
export type * from './ports/budget.ts'
export type * from './ports/ledger.ts'
export type * from './ports/memory.ts'
export type * from './ports/register.ts'
export type * from './ports/pauses.ts'
export type * from './ports/skills.ts'
export type * from './ports/stream-guard.ts'
export type * from './ports/observer.ts'
export type * from './ports/webhook.ts'
export type * from './ports/hints.ts'
export type * from './ports/world.ts'
