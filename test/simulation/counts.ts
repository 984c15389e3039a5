/** What a seed came to, in numbers: a feature that never shows is a feature that is not tested. */
import { decisionSchemas, factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { isOfAll } from './days.ts'
import { epoch, type Schedule } from './schedule.ts'
import { ways } from './victims.ts'
import type { World } from './world.ts'
import { parentOf } from '../invariants/run-record.ts'

/** Every event of every run. */
export const eventsOf = ({ tables }: MemoryRegister): readonly StoredEvent[] =>
  [...tables.events.values()].flat()

const governed = new Set([
  'answer.missing',
  'approval.expired',
  'approval.requested',
  'approval.reused',
  'budget.warned',
  'context.compacted',
  'context.exhausted',
  'context.pruned',
  'guardrail.tripped',
  'input.answered',
  'input.expired',
  'input.injected',
  'input.left',
  'input.requested',
  'input.taken',
  'model.replaced',
  'policy.answered',
  'policy.faulted',
  'approval.skipped',
  'tool.denied',
  'todo.reminded',
  'todo.written',
  'turn.continued',
])

/** Counted by their verdicts. */
const told = new Set([
  'approval.answered',
  'budget.refused',
  'child.ended',
  'context.unchanged',
  'recall.missed',
  'skill.activated',
  'thread.titled',
  'title.unchanged',
])

/** How a command may end. */
const commandEnds = new Set(['tool.aborted', 'tool.completed', 'tool.unknown'])

/** What ten thousand seeds must have shown, at the least: what is rare, and trees of runs. */
export const expected: readonly string[] = [
  'a clock is set back',
  'a clock is set forward',
  'all lack policies',
  'answer.missing',
  'approval.skipped',
  'answers come late',
  'budget.refused calls',
  'budget.refused money',
  'budget.refused tokens',
  'budget.refused turns',
  'cancelled by parent',
  'command tool.aborted',
  'command tool.completed',
  'child.ended budget_exhausted',
  'child.ended cancelled',
  'child.ended completed',
  'child.ended failed',
  'child.ended timed_out',
  'child.ended in part',
  'context.compacted',
  'context.exhausted',
  'context.pruned',
  ...['aborted', 'calls', 'empty', 'failed', 'guardrail', 'no_gain', 'safety', 'too_long'].map(
    (reason) => `context.unchanged ${reason}`,
  ),
  'denied too_deep',
  'denied too_many_at_once',
  'denied too_many_children',
  'denied unknown_agent',
  'faulted history_too_long',
  'files of an edit',
  'files of child.ended',
  'files of run.created',
  'files of tool.completed',
  'image of tool.completed',
  'images left out of a request',
  'images of model.replaced',
  'images refused',
  'input.answered',
  'input.expired',
  'input.left',
  'input.requested',
  'input.taken',
  'denied nobody_to_ask',
  'denied too_many_questions',
  'multitask interrupt',
  'multitask reject',
  'multitask rollback',
  'recall.missed never_made',
  'recall.missed no_result',
  'recall.missed unknown',
  'recall.missed used_up',
  'recalled tool.completed',
  'recalled tool.denied',
  'process freezes',
  'processes hand over',
  'recalled tool.failed',
  'register fails for all',
  'register fails for one',
  'register hangs for all',
  'register hangs for one',
  'refused busy',
  'skill.activated model',
  'skill.activated user',
  'denied skill.tool_not_allowed',
  'some lack policies',
  'run of version 1',
  'run of version 2',
  'superseded interrupt',
  'superseded rollback',
  'superseded late',
  'thread.titled model',
  'thread.titled user',
  'thread.titled words',
  'title.unchanged failed',
  'title.unchanged guardrail',
  'todo.reminded',
  'todo.written',
  'tree 3 deep',
  ...ways.map((way) => `victim of ${way}`),
  'waited for a lane',
  'webhook delivered',
  'webhook gave_up',
  'webhook retried',
  'webhook tried again',
]

/** Runs by their outcomes, and events of governance by their types. */
export function countsOf(
  register: MemoryRegister,
  { answers, schedule, way }: Pick<World, 'answers' | 'schedule' | 'way'>,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1)
  const depths = new Set<number>()
  for (const run of register.tables.runs.values()) {
    count(run.outcome ?? 'open')
    const log = register.tables.events.get(run.runId) ?? []
    depths.add(parentOf({ log })?.depth ?? 0)
    if (schedule.day.kind === 'versions') count(`run of version ${run.machineVersion}`)
  }
  for (const what of crowdCounts(register, schedule)) count(what)
  for (const what of dayCounts(schedule)) count(what)
  if (way !== null) count(`victim of ${way}`)
  for (const { code } of answers.values()) if (code === 'busy') count('refused busy')
  // Seeds, not runs: how many have a tree that is so deep.
  for (const depth of depths) if (depth > 0) count(`tree ${depth} deep`)
  for (const { type, verdict, payload, tool } of eventsOf(register)) {
    if (governed.has(type)) count(type)
    if (told.has(type)) count(`${type} ${verdict}`)
    if (type === 'run.faulted') count(`faulted ${factSchemas[type].parse(payload).code}`)
    if ('recalled' in payload) count(`recalled ${type}`)
    if ('files' in payload) count(`files of ${'edit' in payload ? 'an edit' : type}`)
    for (const what of imageCounts(type, payload)) count(what)
    if (type === 'child.ended' && 'partial' in payload) count('child.ended in part')
    if (tool === 'bash' && commandEnds.has(type)) count(`command ${type}`)
    if (type === 'call.denied') count(`denied ${decisionSchemas[type].parse(payload).code}`)
    if (type === 'cancel.requested' && payload['reason'] === 'parent') count('cancelled by parent')
  }
  return counts
}

/** What shows of images. */
function imageCounts(type: string, payload: StoredEvent['payload']): readonly string[] {
  const text = JSON.stringify(payload)
  if (type === 'tool.completed' && text.includes('"type":"image"'))
    return ['image of tool.completed']
  if (!Object.hasOwn(payload, 'images')) return []
  if (type === 'context.pruned') return ['images left out of a request']
  if (type === 'model.replaced') return ['images of model.replaced']
  return type === 'model.completed' && text.includes('could not process image')
    ? ['images refused']
    : []
}

/** What shows of crowds: strategies, who made way, who waited, who was told. */
function crowdCounts(register: MemoryRegister, { day }: Pick<Schedule, 'day'>): readonly string[] {
  const runs = [...register.tables.runs.values()]
  const events = eventsOf(register).flatMap(({ type, payload, verdict, at }) => {
    if (type === 'webhook.delivered' || type === 'webhook.failed') return [`webhook ${verdict}`]
    if (type !== 'cancel.requested' || payload['reason'] !== 'superseded') return []
    const { action } = factSchemas[type].parse(payload)
    const late = at > epoch + day.faultsEndMs ? ['superseded late'] : []
    return [`superseded ${action}`, ...late]
  })
  const others = runs.flatMap(({ multitask, lanes, admittedAt, dueAt }) => [
    ...(multitask === 'enqueue' ? [] : [`multitask ${multitask}`]),
    ...(lanes.length > 0 && admittedAt !== null && admittedAt > dueAt ? ['waited for a lane'] : []),
  ])
  const again = [...register.tables.effects.values()].filter(
    ({ kind, attempt }) => kind === 'webhook.deliver' && attempt > 1,
  )
  return [...events, ...others, ...again.map(() => 'webhook tried again')]
}

/** What was wrong for longer than a call, by seeds. */
const dayCounts = ({ day: { kind, troubles, jump, lack } }: Schedule): readonly string[] => [
  ...new Set(
    troubles.map(({ of, how }) =>
      how === 'freezes' ? 'process freezes' : `register ${how} for ${of === null ? 'all' : 'one'}`,
    ),
  ),
  ...(kind === 'late' ? ['answers come late'] : []),
  ...(kind === 'handover' ? ['processes hand over'] : []),
  ...(jump ? [`a clock is set ${jump.byMs > 0 ? 'forward' : 'back'}`] : []),
  ...(lack ? [`${isOfAll(lack) ? 'all' : 'some'} lack policies`] : []),
]
