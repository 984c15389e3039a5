/** `approve` and `reject`: a human's answer to a call that waits. */
import { type Command, Option } from 'commander'
import { createClient } from '../client/client.ts'
import type { ApprovalAnswer, Target } from '../client/approvals.ts'
import { usageFailure } from '../failure.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { readEdit } from './read-edit.ts'

interface AnswerOptions extends ServerOptions {
  readonly message?: string
  readonly note?: string
  readonly scope?: string
  readonly edit?: string
  readonly editFile?: string
}

const done = { approve: 'approved', reject: 'rejected', edit: 'approved as edited' }

export function answerCommands(program: Command, shell: Shell): void {
  const approve = command(program, shell, 'approve')
    .description('Let a call be executed, with exactly the arguments that were shown')
    .addOption(
      new Option('--scope <scope>', 'for this call; for the same call in this run; or always')
        .choices(['once', 'run', 'always'])
        .conflicts(['edit', 'editFile']),
    )
    .addOption(new Option('--edit <json>', 'execute these arguments instead').conflicts('editFile'))
    .option('--edit-file <file>', 'the same, from a file')
  const reject = command(program, shell, 'reject').description(
    'Refuse a call; the model reads that it was refused, and the message',
  )
  for (const each of [approve, reject]) each.addHelpText('after', answers)
}

const answers = `
The first answer stands: the same one again is fine (0), another one comes too late (5), and so does any answer
after the request has expired or the run has ended. Who may not approve is refused (2), and so are arguments that
the tool does not take.`

function command(program: Command, shell: Shell, decision: 'approve' | 'reject'): Command {
  return withServer(program.command(decision))
    .argument(
      '<approval>',
      'the approval, as "signalbox approvals" shows it; or a run, and its call',
    )
    .argument('[call]', 'the call of the run')
    .option('--message <text>', 'stands in the log; the model reads it')
    .addOption(new Option('--note <text>').hideHelp().conflicts('message'))
    .action(async (id: string, callId: string | undefined, options: AnswerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const target: Target = callId === undefined ? { approvalId: id } : { runId: id, callId }
      const answer = await answerOf(decision, options, shell)
      const stands = await client.answerApproval(target, answer)
      const named = callId === undefined ? { approval_id: id } : { run_id: id, call_id: callId }
      terminal.document({ ...named, decision: answer.decision, ...stands })
      const became = done[answer.decision]
      terminal.line(
        stands.code === 'already' ? `It was ${became} before.` : `The call is ${became}.`,
      )
    })
}

async function answerOf(
  decision: 'approve' | 'reject',
  options: AnswerOptions,
  { cwd }: Shell,
): Promise<ApprovalAnswer> {
  const { scope, edit, editFile, message = options.note } = options
  if (message?.trim() === '') throw usageFailure('--message takes a text that says something.')
  const said = message === undefined ? {} : { message }
  if (edit !== undefined || editFile !== undefined)
    return { decision: 'edit', args: await readEdit({ edit, editFile, cwd }), ...said }
  return { decision, ...said, ...(scope === undefined ? {} : { scope }) }
}
