/** `approvals`: calls that wait for a human, and what becomes of them. */
import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import type { Approval } from '../client/documents.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { approvalRow, showApproval, showSettled } from '../output/approval-lines.ts'
import { printTable } from '../output/table.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import { pollEverySecond } from '../poll.ts'
import type { Shell } from '../shell.ts'
import { answerCommands } from './answer.ts'

interface ListOptions extends ServerOptions {
  readonly run?: string
  readonly follow?: true
}

export function approvalCommands(program: Command, shell: Shell): void {
  withServer(program.command('approvals'))
    .description('List calls that wait for an approval; with one of them, show it in full')
    .argument('[approval]', 'this one only, with all its arguments, and what became of it')
    .option('--run <run>', 'of this run, and of the runs below it')
    .option('-f, --follow', 'go on: show calls as they come, and what becomes of them')
    .action(async (approvalId: string | undefined, options: ListOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      if (approvalId !== undefined) return showOne(terminal, client, approvalId)
      if (options.follow === true) return followApprovals(terminal, client, options.run)
      const waiting = await client.approvals(options.run)
      terminal.document(waiting)
      const rows = waiting.map((approval) => approvalRow(approval, Date.now()))
      printTable(terminal, rows, 'No call waits for an approval.')
    })
  answerCommands(program, shell)
}

async function showOne(terminal: Terminal, client: Client, approvalId: string): Promise<void> {
  const approval = await client.approval(approvalId)
  if (approval === null) {
    const message = `There is no approval ${approvalId}. List what waits with: signalbox approvals`
    throw new Failure('unknown_approval', message, { exitCode: exitCodes.notFound })
  }
  terminal.document(approval)
  showApproval(terminal, approval, Date.now())
}

/** A server that is restarted meanwhile is waited for: nothing is told twice, and no end of an approval is missed. */
async function followApprovals(
  terminal: Terminal,
  client: Client,
  runId: string | undefined,
): Promise<void> {
  const interrupt = listenForInterrupt()
  const known = new Map<string, Approval>()
  const look = async () => {
    const waiting = await client.approvals(runId)
    const ids = new Set(waiting.map((approval) => approval.approval_id))
    const gone = [...known.values()].filter(({ approval_id }) => !ids.has(approval_id))
    const settled = await Promise.all(
      gone.map(async (last) => (await client.approval(last.approval_id)) ?? erased(last)),
    )
    return { waiting, settled }
  }
  for await (const { waiting, settled } of pollEverySecond(look, interrupt.signal)) {
    for (const approval of settled) {
      // Answered, though not yet decided about: the next look says it.
      if (approval.status === 'waiting') continue
      known.delete(approval.approval_id)
      terminal.document(approval)
      showSettled(terminal, approval)
    }
    for (const approval of waiting) {
      if (known.has(approval.approval_id)) continue
      known.set(approval.approval_id, approval)
      terminal.document(approval)
      showApproval(terminal, approval, Date.now())
    }
  }
  interrupt.release()
}

const erased = (approval: Approval): Approval => ({ ...approval, args: null, status: 'erased' })
