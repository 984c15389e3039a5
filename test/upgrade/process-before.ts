/**
 * The process of before: makes runs of every kind over the register of its first argument, says so when each stands in its state,
 * and stays until it is killed.
 */
import { createRegister } from '@signalbox/postgres'
import pg from 'pg'
import { begin, caller } from '../../packages/engine/test/support/governed.ts'
import { until } from '../../packages/engine/test/support/world.ts'
import { agentOf, engineOver, type Kind, kinds, runsPerKind, threads } from './kinds.ts'

const [, , engineUrl = '', adminUrl = ''] = process.argv
const register = createRegister({ engineUrl })
const engine = engineOver(register, { before: true })
const superuser = new pg.Client(adminUrl)
await superuser.connect()

const make = (kind: Kind, n: number): Promise<string> =>
  begin(engine, agentOf(kind), {
    // One that is queued stands behind one that waits for a human.
    threadId: `${threads}${kind === 'queued' ? 'approval' : kind}-${n}`,
    input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: `kind ${kind}` }] }],
  })

const makeAll = (kind: Kind): Promise<string[]> =>
  Promise.all(Array.from({ length: runsPerKind }, (_, n) => make(kind, n)))

/** Waits until so many runs stand in a state with this condition on their effects. */
const stand = (state: string, count: number, condition = 'true'): Promise<true> =>
  until(async () => {
    const { rows } = await superuser.query<{ n: number }>(
      `select count(*)::int as n from signalbox.run r where r.state_name = $1 and ${condition}`,
      [state],
    )
    return (rows[0]?.n ?? 0) >= count || null
  })

const isUnderWay = `exists (select from signalbox.effect e where e.run_id = r.id and e.status = 'started')`

const cancelAll = (runs: readonly string[]): Promise<unknown> =>
  Promise.all(
    runs.map((runId) => engine.commands.cancel({ ...caller, runId, action: 'interrupt' })),
  )

await engine.start()
for (const kind of ['completed', 'failed'] as const) {
  await makeAll(kind)
  await stand(kind, runsPerKind)
}
const cancelled = await makeAll('cancelled')
await stand('approval', runsPerKind)
await cancelAll(cancelled)
await stand('cancelled', runsPerKind)
await makeAll('approval')
await stand('approval', runsPerKind)
await makeAll('queued')
for (const kind of ['model', 'guardrail', 'tools'] as const) {
  await makeAll(kind)
  await stand(kind, runsPerKind, isUnderWay)
}
const cancelling = await makeAll('cancelling')
await stand('tools', 2 * runsPerKind, isUnderWay)
await cancelAll(cancelling)
for (const kind of kinds) await stand(kind, runsPerKind)
process.stdout.write('ready\n')
