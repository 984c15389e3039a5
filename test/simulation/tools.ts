/** Tools that leave a mark in the world's own log whenever they execute. */
import type { ToolHost } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { beginsUnderLease } from './beginnings.ts'
import { draftsOf, look } from './files.ts'
import type { Incarnation } from './process.ts'
import { paddingFor } from './rooms.ts'
import { sharedEdit } from './subagents.ts'
import { hashOf, type World } from './world.ts'

/** How many calls last longer than a lease on a bad day. */
const long = 0.3

export function simulatedTools(
  world: World,
  register: MemoryRegister,
  life: Incarnation,
): ToolHost {
  const { schedule } = world
  return {
    specs: async () => [],
    knows: async () => true,
    call: async (request, signal) => {
      const { idempotencyKey: effectId, attempt } = request
      beginsUnderLease(world, life, register.tables, {
        effect: register.tables.effects.get(effectId),
        what: `attempt ${attempt} of ${effectId}`,
        attempt,
      })
      life.performing.add(`${effectId} ${attempt}`)
      await life.clock.sleep(schedule.between(1, 20), signal)
      if (!life.alive) return new Promise(() => {})
      if (signal.aborted) return { status: 'aborted', settled: true }
      const execution = {
        effectId: request.idempotencyKey,
        attempt: request.attempt,
        runId: request.runId,
        callId: request.callId,
        tool: request.name,
        args: request.args,
        argsHash: hashOf(request.args),
      }
      world.executions.push(execution)
      schedule.note(`executes ${request.idempotencyKey}`)
      if (world.isFiling) await look(world, register, request)
      const isLong = schedule.chance(schedule.day.kind === 'none' ? 0.1 : long)
      await life.clock.sleep(schedule.between(1, isLong ? 1_500 : 60), signal)
      if (signal.aborted) {
        // A command has ended when its call does, whatever ended it.
        const settled = request.name === 'bash' || schedule.chance(0.5)
        if (!settled) world.unsettled.add(`${effectId} ${attempt}`)
        return { status: 'aborted', settled }
      }
      if (life.lost.has(`${effectId} ${attempt}`))
        world.complaints.push(`L2 ${effectId} went on in ${life.owner} after its lease was lost`)
      const status = schedule.chance(0.1) ? 'failed' : 'completed'
      const { runId } = request
      world.returned.push({ effectId, attempt, runId, owner: life.owner, at: schedule.now, status })
      if (status === 'failed') return { status, error: { code: 'boom', message: 'it broke' } }
      const padding = paddingFor(register.tables, runId)
      const text = `${request.name} ${JSON.stringify(request.args)}${padding}`
      const output = { content: [{ type: 'text' as const, text }], isError: false }
      if (!world.isFiling) return { status, output }
      const shared =
        world.isLending && request.name !== 'look' ? await sharedEdit(execution, request.files) : []
      return { status, output, files: [...draftsOf(execution), ...shared] }
    },
    close: async () => {},
  }
}
