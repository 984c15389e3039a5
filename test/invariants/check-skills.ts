/**
 * The rules that skills keep: each is loaded once in a run, for a reason, and as the run pins it; where an agent restricts them, no tool that they
 * do not name is executed, and none that they name is refused for it.
 */
import { callsOf, decisionSchemas, factSchemas, loadSkillToolName } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { callOf, type Execution, foldedThrough, type RunRecord } from './run-record.ts'

/** Of one run, when everything has settled. */
export function skillViolations(
  run: RunRecord,
  executions: readonly Execution[],
): readonly string[] {
  return [...loadViolations(run), ...missedViolations(run), ...toolViolations(run, executions)]
}

const activated = (event: StoredEvent) => decisionSchemas['skill.activated'].parse(event.payload)

const activationsIn = (log: readonly StoredEvent[]): readonly StoredEvent[] =>
  log.filter(({ type }) => type === 'skill.activated')

/** The skills that a fact loads, unless they are loaded already. */
function loadedBy({ type, payload }: StoredEvent): readonly string[] {
  if (type === 'run.created')
    return (factSchemas['run.created'].parse(payload).skills ?? []).map(({ name }) => name)
  if (type !== 'tool.completed') return []
  const { skill } = factSchemas['tool.completed'].parse(payload)
  return skill ? [skill.name] : []
}

function loadViolations({ head: { runId }, log, agent }: RunRecord): readonly string[] {
  const pinned = agent?.skills ?? []
  return activationsIn(log).flatMap((event, n, all) => {
    const { name, digest, by, callId } = activated(event)
    const about = `${runId} loads ${name} at ${event.seq}`
    const isOwn = pinned.some(
      (skill) => 'digest' in skill && skill.name === name && skill.digest === digest,
    )
    const isAgain = all.slice(0, n).some((each) => activated(each).name === name)
    const isCaused = log.some(
      (each) =>
        each.seq < event.seq &&
        loadedBy(each).includes(name) &&
        (by === 'user' ? each.type === 'run.created' : callOf(each) === callId),
    )
    return [
      ...(isOwn ? [] : [`K1 ${about}, which it does not pin`]),
      ...(isAgain ? [`K1 ${about} again`] : []),
      ...(isCaused ? [] : [`K1 ${about} for no reason`]),
    ]
  })
}

/** A run has loaded what it was shown, once it has decided about it. */
function missedViolations({ head: { runId }, log }: RunRecord): readonly string[] {
  const names = new Set(activationsIn(log).map((event) => activated(event).name))
  const lastAsked = log.findLastIndex(({ type }) => type === 'model.completed')
  return log
    .filter((event, at) => at < lastAsked && event.seq <= foldedThrough(log))
    .flatMap(loadedBy)
    .filter((name) => !names.has(name))
    .map((name) => `K1 ${runId} was shown ${name}, and has not loaded it`)
}

const always: readonly string[] = [loadSkillToolName, 'write_todos']

/** May a call of this tool be made by what was loaded before an event? */
function isNamed({ log, agent }: RunRecord, tool: string, seq: number): boolean {
  if (agent?.skillTools !== 'restrict' || always.includes(tool)) return true
  const lists = activationsIn(log)
    .filter((event) => event.seq < seq)
    .flatMap((event) => {
      const { tools } = activated(event)
      return tools ? [tools] : []
    })
  return lists.length === 0 || lists.some((tools) => tools.includes(tool))
}

function toolViolations(run: RunRecord, executions: readonly Execution[]): readonly string[] {
  const { log, head } = run
  const executed = log
    .filter(({ type }) => type === 'model.completed')
    .flatMap((event) =>
      callsOf(factSchemas['model.completed'].parse(event.payload).turn)
        .filter(({ name }) => !isNamed(run, name, event.seq))
        .filter(({ id }) =>
          executions.some(({ runId, callId }) => runId === head.runId && callId === id),
        )
        .map(({ id, name }) => `K2 ${head.runId} executes ${id} of ${name}, which no skill names`),
    )
  const denied = log
    .filter(({ type, payload }) => type === 'call.denied' && payload['code'] === code)
    .filter(({ tool, seq }) => isNamed(run, tool ?? '', seq))
    .map(({ seq, tool }) => `K2 ${head.runId} refuses ${tool} at ${seq}, which a skill names`)
  return [...executed, ...denied]
}

const code = 'skill.tool_not_allowed'
