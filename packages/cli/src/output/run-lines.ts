/** Runs as rows of a table, and one in full: where it stands, what it waits for, what to type next. */
import type { Run, WaitsFor } from '../client/documents.ts'
import { duration, oneLine, printable } from '@signalbox/core/text'
import { targetArguments, targetText } from './pause-lines.ts'

const whole = 200

/** A row of the table. `now` is milliseconds since the epoch. */
export const runRow = (run: Run, now: number): Readonly<Record<string, string>> => ({
  run: run.run_id,
  thread: oneLine(run.thread_id, whole),
  agent: oneLine(run.assistant_id, whole),
  created: run.created_at.slice(0, 19).replace('T', ' '),
  status: run.status,
  state: run.state,
  outcome: run.outcome ?? '',
  ...(run.waits_for === undefined ? {} : { 'waits for': waitsText(run.waits_for, now) }),
  ...(run.spent === undefined ? {} : { tokens: String(run.spent.tokens) }),
})

/** What a run waits for, and since when, in few words; empty when it has ended. */
export function waitsText(waits: WaitsFor | null, now: number): string {
  if (waits === null) return ''
  const { kind, since, until, tool, queue, run_id, lanes, target, reason, below = [] } = waits
  const human = waits.run_waits_for === undefined ? '' : ', which waits for an answer'
  const what: Readonly<Record<string, string>> = {
    approval: `approval of ${tool ?? 'a call'}`,
    input: 'answer to its question',
    unknown: `resolution of ${tool ?? 'a call'}`,
    paused: `${targetText(target)} to be resumed (${reason ?? ''})`,
    worker: `worker of ${queue ?? 'a queue'} (${tool ?? 'a call'})`,
    tool: `tool ${tool ?? ''}`,
    child: `run ${run_id ?? 'that it starts'}`,
    thread: `thread, behind ${run_id ?? 'another run'}${human}`,
    lane: `limit ${lanes?.join(', ') ?? ''}`,
    delay: until?.slice(0, 19).replace('T', ' ') ?? 'its time',
  }
  const held = below.map((each) => `${each.kind} in run ${each.run_id}`)
  const humans = held.length === 0 ? '' : `, which waits for ${held.join(' and ')}`
  const words = oneLine(printable(`${what[kind] ?? kind}${humans}`), whole).trimEnd()
  return `${words}, for ${duration(now - Date.parse(since))}`
}

/** What to type about a run, the likeliest first. */
export function nextCommands(run: Run): readonly string[] {
  const { run_id, outcome, waits_for: waits, parent } = run
  if (outcome !== null) {
    const isWell = outcome === 'completed'
    // A child is retried with what has started it.
    const again = parent?.run_id ?? run_id
    return [...(isWell ? [] : [`signalbox retry ${again}`]), `signalbox events ${run_id}`]
  }
  return [...answersTo(run_id, waits ?? null), `signalbox cancel ${run_id}`]
}

function answersTo(runId: string, waits: WaitsFor | null): readonly string[] {
  if (waits === null) return []
  const { kind, approval_id, effect_id, run_id, below = [] } = waits
  // In the place of the run that it has started: those further down that want a human.
  if (kind === 'child' && below.length > 0)
    return below.flatMap((each) => answersTo(each.run_id, { ...each, since: waits.since }))
  if (kind === 'approval' && approval_id !== undefined)
    return [`signalbox approve ${approval_id}`, `signalbox reject ${approval_id}`]
  if (kind === 'input') return [`signalbox inputs --run ${runId}`, `signalbox answer ${runId} "…"`]
  if (kind === 'unknown' && effect_id !== undefined)
    return ['happened', 'not-happened', 'retry'].map(
      (resolution) => `signalbox resolve ${runId} ${effect_id} ${resolution}`,
    )
  if ((kind === 'child' || kind === 'thread') && run_id !== undefined)
    return [`signalbox show ${run_id}`]
  if (kind === 'paused') return [`signalbox resume ${targetArguments(waits.target)}`]
  return kind === 'worker' ? ['signalbox queues', 'signalbox worker'] : []
}
