/** Calls that wait for a human, as rows of a table and as lines that come one by one. */
import type { Approval } from '../client/documents.ts'
import { duration, oneLine, printable } from '@signalbox/core/text'
import type { Terminal } from './terminal.ts'

/** Of arguments, where many calls stand below each other. Whoever wants the whole asks for one approval. */
const argsCharsMax = 60

/** A row of the table. `now` is milliseconds since the epoch. */
export function approvalRow(approval: Approval, now: number): Readonly<Record<string, string>> {
  const { approval_id, run_id, tool, policy_id, requested_at, expires_at } = approval
  return {
    approval: oneLine(approval_id, 80),
    run: oneLine(run_id, 80),
    tool: oneLine(tool, 64),
    arguments: oneLine(argsOf(approval), argsCharsMax),
    policy: oneLine(policy_id ?? '', 40),
    age: duration(now - Date.parse(requested_at)),
    'expires in': expires_at == null ? 'never' : duration(Date.parse(expires_at) - now),
  }
}

/** One call in full: whoever approves must see all that he approves. */
export function showApproval(terminal: Terminal, approval: Approval, now: number): void {
  const { approval_id, run_id, tool, policy_id, reason, requested_at } = approval
  const since = terminal.paint('dim', oneLine(requested_at.slice(0, 19), 40))
  const row = approvalRow(approval, now)
  const name = terminal.paint('bold', printable(tool))
  terminal.line(`${since}  ${printable(approval_id)}  ${printable(run_id)}  ${name}`)
  terminal.line(`  ${printable(argsOf(approval))}`)
  const by = policy_id ? `asked for by ${row['policy'] ?? ''}` : ''
  const why = [by, oneLine(reason ?? '', 300)].filter((part) => part !== '').join(': ')
  if (why !== '') terminal.line(terminal.paint('dim', `  ${why}`))
  if (approval.status !== 'waiting') return terminal.line(`  ${becameOf(approval)}`)
  const hint = `  signalbox approve ${printable(approval_id)}`
  terminal.line(terminal.paint('dim', `${hint}   (expires: ${expiryOf(row)})`))
}

/** What became of one, on a line. */
export function showSettled(terminal: Terminal, approval: Approval): void {
  const { approval_id, run_id, tool } = approval
  const name = printable(tool)
  terminal.line(
    `${printable(approval_id)}  ${printable(run_id)}  ${name}  ${terminal.paint('green', becameOf(approval))}`,
  )
}

function becameOf({ status, answer }: Approval): string {
  const by = answer?.by == null ? '' : ` by ${answer.by.id}`
  const scope = answer?.scope && answer.scope !== 'once' ? ` (${answer.scope})` : ''
  const note = answer?.message ? `: ${answer.message}` : ''
  return oneLine(`${status}${by}${scope}${note}`, 300)
}

const expiryOf = (row: Readonly<Record<string, string>>): string => {
  const left = row['expires in'] ?? 'never'
  return left === 'never' ? left : `in ${left}`
}

/** Characters that nobody sees, or that turn a line around. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/** As JSON in which nothing hides: whoever approves must see what he approves. */
export const argsOf = ({ args }: Pick<Approval, 'args'>): string =>
  args === null ? '(erased)' : JSON.stringify(args).replaceAll(unseen, escaped)

const escaped = (character: string): string =>
  `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`
