/** `pause`, `resume` and `pauses`: an agent, a tool or a queue starts nothing new for a while. */
import { Argument, type Command } from 'commander'
import { createClient } from '../client/client.ts'
import type { Pause, PauseTarget } from '../client/documents.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { serverOf, type ServerOptions, span, withServer } from '../options.ts'
import { duration } from '@signalbox/core/text'
import { pauseRow, targetArguments, targetText } from '../output/pause-lines.ts'
import { printTable } from '../output/table.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

const kinds = ['agent', 'tool', 'queue'] as const
type Kind = (typeof kinds)[number]

interface PauseOptions extends ServerOptions {
  readonly reason: string
  readonly for?: number
}

export function pauseCommands(program: Command, shell: Shell): void {
  withTarget(withServer(program.command('pause')))
    .description('Let an agent, a tool or a queue start nothing new; what runs goes on')
    .requiredOption('--reason <text>', 'why; whoever finds a run paused reads it')
    .option('--for <time>', 'for so long: 90s, 15m, 2h, 7d (default: until it is resumed)', span)
    .action(async (kind: Kind, name: string, options: PauseOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const { reason, for: ms } = options
      const until = ms === undefined ? {} : { until: new Date(Date.now() + ms).toISOString() }
      const client = createClient(serverOf(options, shell))
      const pause = await client.pause({ target: targetOf(kind, name), reason, ...until })
      terminal.document(pause)
      const end = ms === undefined ? 'until it is resumed' : `for ${duration(ms)}`
      terminal.line(`Paused ${targetText(pause.target)}, ${end}: nothing new of it starts.`)
      terminal.note(`Resume it with: signalbox resume ${targetArguments(pause.target)}`)
    })
  withTarget(withServer(program.command('resume')))
    .description('Let what is paused go on')
    .action(async (kind: Kind, name: string, options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const pause = (await client.pauses()).find(isOf(kind, name))
      if (!pause)
        throw new Failure(
          'unknown_pause',
          `The ${kind} ${name} is not paused. List what is with: signalbox pauses`,
          { exitCode: exitCodes.notFound },
        )
      await client.resume(pause.pause_id)
      terminal.document(pause)
      terminal.line(`Resumed ${targetText(pause.target)}: what waited goes on.`)
    })
  withServer(program.command('pauses'))
    .description('List what is paused: why, by whom, since when')
    .action(async (options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const pauses = await createClient(serverOf(options, shell)).pauses()
      terminal.document(pauses)
      const now = Date.now()
      printTable(
        terminal,
        pauses.map((pause) => pauseRow(pause, now)),
        'Nothing is paused.',
      )
    })
}

const withTarget = (command: Command): Command =>
  command
    .addArgument(new Argument('<kind>', 'agent, tool or queue').choices(kinds))
    .argument('<name>', 'its name; of a tool the one by which a model calls it')

const targetOf = (kind: Kind, name: string): PauseTarget => ({ [kind]: name })

const isOf =
  (kind: Kind, name: string) =>
  ({ target }: Pause): boolean =>
    target[kind] === name
