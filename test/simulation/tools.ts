/** Tools that leave a mark in the world's own log whenever they execute. */
import { loadSkillToolName } from '@signalbox/core'
import type { ToolHost } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { beginsUnderLease } from './beginnings.ts'
import { draftsOf, look } from './files.ts'
import type { Incarnation } from './process.ts'
import { shotsOf } from './images.ts'
import { paddingFor } from './rooms.ts'
import { skillLoader } from './skills.ts'
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
      const loaded =
        request.name === loadSkillToolName ? await skillLoader.call(request, signal) : null
      if (life.lost.has(`${effectId} ${attempt}`))
        world.complaints.push(`L2 ${effectId} went on in ${life.owner} after its lease was lost`)
      const isBroken = schedule.chance(0.1) || loaded?.status === 'failed'
      const status = isBroken ? 'failed' : 'completed'
      const { runId } = request
      world.returned.push({ effectId, attempt, runId, owner: life.owner, at: schedule.now, status })
      if (status === 'failed') return { status, error: { code: 'boom', message: 'it broke' } }
      if (loaded) return loaded
      const padding = paddingFor(register.tables, runId)
      const text = `${request.name} ${JSON.stringify(request.args)}${padding}`
      const shots = shotsOf(register.tables, execution)
      const texts = [text, ...(shots?.words ?? [])]
      const output = {
        content: texts.map((each) => ({ type: 'text' as const, text: each })),
        isError: false,
      }
      const images = shots ? { images: shots.images } : {}
      if (!world.isFiling) return { status, output, ...images }
      const shared =
        world.isLending && request.name !== 'look' ? await sharedEdit(execution, request.files) : []
      return { status, output, files: [...draftsOf(execution), ...shared], ...images }
    },
    close: async () => {},
  }
}
