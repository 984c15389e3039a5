/** `inputs` and `answer`: questions of models, and a person's answer to one. */
import { type Command, Option } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import type { AskedInput } from '../client/documents.ts'
import type { AnswerBody } from '../client/inputs.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { inputRow, showInput } from '../output/input-lines.ts'
import { printTable } from '../output/table.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { readObject } from './read-object.ts'

interface ListOptions extends ServerOptions {
  readonly run?: string
}

interface AnswerOptions extends ServerOptions {
  readonly call?: string
  readonly text?: string
  readonly option?: string
  readonly values?: string
  readonly decline?: true
}

export function inputCommands(program: Command, shell: Shell): void {
  withServer(program.command('inputs'))
    .description('List questions of models that wait for a person')
    .option('--run <run>', 'in full, of this run and those it has started')
    .action(async (options: ListOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const waiting = await createClient(serverOf(options, shell)).inputs(options.run)
      terminal.document(waiting)
      const none = 'No question waits for an answer.'
      if (options.run === undefined || waiting.length === 0)
        printTable(
          terminal,
          waiting.map((question) => inputRow(question, Date.now())),
          none,
        )
      else for (const question of waiting) showInput(terminal, question)
    })
  answerCommand(program, shell)
}

const help = `
The words are the answer, or the option that is chosen, or the values of a form as an object of JSON, as the question asks
for. The first answer stands: the same one again is fine (0), another one comes too late (5), and so does any answer after
the question has expired or the run has ended. An answer that does not fit the question is refused (2).`

const ways = ['text', 'option', 'values', 'decline'] as const

/** A way to answer: one at a time. */
const only = (flag: string, text: string, way: (typeof ways)[number]): Option =>
  new Option(flag, text).conflicts(ways.filter((other) => other !== way))

function answerCommand(program: Command, shell: Shell): void {
  withServer(program.command('answer'))
    .description('Answer a question of a model; the same run goes on')
    .argument('<run>', 'the run, or the one at the top of its tree')
    .argument('[answer]', 'the answer, as the question asks for it')
    .option('--call <call>', 'which question, where several wait')
    .addOption(only('--text <text>', 'an answer in words', 'text'))
    .addOption(only('--option <option>', 'one of the options', 'option'))
    .addOption(only('--values <json>', 'the values of a form', 'values'))
    .addOption(only('--decline', 'give no answer: the model reads so, and goes on', 'decline'))
    .addHelpText('after', help)
    .action(async (run: string, words: string | undefined, options: AnswerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const said = saidBy(options)
      if ((words === undefined) === (said === null))
        throw usageFailure(
          'Say the answer once: as words, or with --text, --option, --values or --decline.',
        )
      const question = await questionOf(client, run, options.call)
      const { runId, callId } = question
      const answer = said ?? inForm(question.asked, words ?? '')
      const stands = await client.answerInput(runId, callId, answer)
      terminal.document({ run_id: runId, call_id: callId, ...stands })
      terminal.line(stands.code === 'already' ? 'It was answered so before.' : 'It is answered.')
    })
}

interface Named {
  readonly runId: string
  readonly callId: string
  /** Null: it does not wait, or not any more. */
  readonly asked: AskedInput | null
}

/** The question that is meant: the one of this call, or the only one of the run and those below it. @throws Failure */
async function questionOf(client: Client, runId: string, callId?: string): Promise<Named> {
  const waiting = await client.inputs(runId)
  const meant = callId === undefined ? waiting : waiting.filter((each) => each.call_id === callId)
  const [asked, another] = meant
  if (asked && !another) return { runId: asked.run_id, callId: asked.call_id, asked }
  // The server says what became of it.
  if (callId !== undefined) return { runId, callId, asked: null }
  if (!asked) {
    // Throws where there is no such run.
    await client.run(runId)
    const message = `The run ${runId} asks nothing now. List what waits with: signalbox inputs`
    throw new Failure('unknown_input', message, { exitCode: exitCodes.notFound })
  }
  const calls = waiting.map((each) => each.call_id).join(', ')
  throw usageFailure(`${waiting.length} questions wait. Say which one with --call: ${calls}.`)
}

/** What the options say; null: nothing. @throws Failure */
function saidBy({ text, option, values, decline }: AnswerOptions): AnswerBody | null {
  if (text !== undefined) return { text }
  if (option !== undefined) return { option }
  if (values !== undefined) return { values: readObject('--values', values) }
  return decline ? { declined: true } : null
}

/** Words in the form that the question asks for. @throws Failure */
function inForm(asked: AskedInput | null, words: string): AnswerBody {
  switch (asked?.kind) {
    case 'choice':
      return { option: words }
    case 'form':
      return { values: readObject('The answer', words) }
    default:
      return { text: words }
  }
}
