/** Calls whose outcome nobody knows: all that helps to find out what became of them. */
import type { UnknownEffect } from '../client/documents.ts'
import { argsOf } from './approval-lines.ts'
import { duration, oneLine, printable } from '@signalbox/core/text'
import type { Terminal } from './terminal.ts'

const reasons: Readonly<Record<string, string>> = {
  worker_lost: 'its worker vanished',
  not_settled: 'it did not end in time, or the connection to it was lost',
}

/** One call in full. `now` is milliseconds since the epoch. */
export function showUnknown(terminal: Terminal, effect: UnknownEffect, now: number): void {
  const { run_id, effect_id, tool, reason, worker, attempt, started_at, unknown_at } = effect
  const line = (title: string, text: string) =>
    terminal.line(`  ${terminal.paint('dim', title.padEnd(10))}${printable(text)}`)
  terminal.line(`${terminal.paint('bold', printable(tool ?? 'a call'))}  run ${run_id}`)
  line('arguments', effect.args === null ? '(erased, or not for this key)' : argsOf(effect))
  line(
    'reason',
    `${reasons[reason ?? ''] ?? oneLine(reason ?? 'erased', 80)}, ${duration(now - Date.parse(unknown_at))} ago`,
  )
  line('worker', oneLine(worker ?? '', 200))
  line('started', `${started_at?.slice(0, 19).replace('T', ' ') ?? 'erased'}, attempt ${attempt}`)
  line('key', effect.idempotency_key)
  line('next', `signalbox resolve ${run_id} ${effect_id} happened   (or not-happened, retry)`)
}
