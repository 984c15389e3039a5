/** `approvals`, `approve`, `reject`: calls that wait for a human. */
import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import type { Approval } from '../client/documents.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { oneLine, printable } from '../output/printable.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import { poll } from '../poll.ts'
import type { Shell } from '../shell.ts'

interface ListOptions extends ServerOptions {
  readonly follow?: true
}

interface AnswerOptions extends ServerOptions {
  readonly note?: string
}

export function approvalCommands(program: Command, shell: Shell): void {
  withServer(program.command('approvals'))
    .description('List calls that wait for an approval, with their arguments')
    .option('-f, --follow', 'go on, and show calls as they come')
    .action(async (options: ListOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      if (options.follow === true) return followApprovals(terminal, client)
      const waiting = await client.approvals()
      terminal.document(waiting)
      for (const approval of waiting) show(terminal, approval)
      if (waiting.length === 0) terminal.line('No call waits for an approval.')
    })

  for (const decision of ['approve', 'reject'] as const)
    withServer(program.command(decision))
      .description(
        decision === 'approve'
          ? 'Let a call be executed, with exactly the arguments that were shown'
          : 'Refuse a call; the model reads that it was refused',
      )
      .argument('<run>', 'the run')
      .argument('<call>', 'the call, as "signalbox approvals" shows it')
      .option('--note <text>', 'stands in the log')
      .action(async (runId: string, callId: string, options: AnswerOptions) => {
        const terminal = createTerminal({ json: options.json === true })
        const client = createClient(serverOf(options, shell))
        const { note } = options
        const body = { decision, ...(note === undefined ? {} : { note }) }
        const answer = await client.answerApproval(runId, callId, body)
        terminal.document({ run_id: runId, call_id: callId, decision, ...answer })
        const done = decision === 'approve' ? 'approved' : 'rejected'
        terminal.line(answer.code === 'already' ? `It was ${done} before.` : `The call is ${done}.`)
      })
}

async function followApprovals(terminal: Terminal, client: Client): Promise<void> {
  const interrupt = listenForInterrupt()
  let known = new Set<string>()
  for await (const waiting of poll(() => client.approvals(), interrupt.signal)) {
    for (const approval of waiting) {
      if (known.has(key(approval))) continue
      terminal.document(approval)
      show(terminal, approval)
    }
    known = new Set(waiting.map(key))
  }
  interrupt.release()
}

const key = (approval: Approval): string => `${approval.run_id} ${approval.call_id}`

/** Whoever approves must see the arguments: the whole of them, on one line. */
function show(terminal: Terminal, approval: Approval): void {
  const { run_id, call_id, tool, args, requested_at } = approval
  const since = terminal.paint('dim', oneLine(requested_at.slice(0, 19), 40))
  terminal.line(`${since}  ${run_id}  ${call_id}  ${terminal.paint('bold', printable(tool))}`)
  terminal.line(`  ${printable(JSON.stringify(args))}`)
  terminal.line(terminal.paint('dim', `  signalbox approve ${run_id} ${call_id}`))
}
