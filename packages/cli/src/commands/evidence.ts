/** `definition`, `usage`, `pseudonym`: what auditors look up beside the log. */
import type { Command } from 'commander'
import { createClient } from '../client/client.ts'
import type { Definition } from '../client/evidence.ts'
import { instant, serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { at, oneLine, printable } from '@signalbox/core/text'
import { printTable } from '../output/table.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export function evidenceCommands(program: Command, shell: Shell): void {
  definitionCommand(program, shell)
  usageCommand(program, shell)
  withServer(program.command('pseudonym'))
    .description('Print the pseudonym that the log has for a user; that you asked is recorded')
    .argument('<user>', 'the id, as the proxy sends it')
    .action(async (user: string, options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const answer = await createClient(serverOf(options, shell)).pseudonym(user)
      terminal.document(answer)
      terminal.line(answer.pseudonym)
    })
}

function definitionCommand(program: Command, shell: Shell): void {
  withServer(program.command('definition'))
    .description('Show the prompt, the tools and the policies behind a definition hash')
    .argument('<hash>', 'as `run.created` and `audit query definitions` have it')
    .action(async (hash: string, options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const found = await createClient(serverOf(options, shell)).definition(hash)
      terminal.document(found)
      if (!terminal.json) print(terminal, found)
    })
}

function print(
  terminal: Terminal,
  { hash, agent, first_used_at, definition, redacted }: Definition,
) {
  const { model, instructions, tools, guardrails, ...rest } = definition
  const line = (name: string, value: unknown) =>
    terminal.line(`${terminal.paint('dim', name.padEnd(13))} ${shown(value)}`)
  line('agent', agent)
  line('hash', hash)
  line('first used', first_used_at)
  line('model', model)
  const names = Array.isArray(tools) ? tools.map((tool: unknown) => shown(at(tool, 'name'))) : []
  line('tools', names.length > 0 ? names.join(', ') : 'none')
  line('guardrails', guardrails)
  for (const [name, value] of Object.entries(rest)) if (name !== 'name') line(name, value)
  if (redacted) terminal.note('What looks like a secret was left out.')
  terminal.line('')
  terminal.line(printable(shown(instructions)))
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : oneLine(JSON.stringify(value ?? null), 2000)

const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

interface UsageOptions extends ServerOptions {
  readonly by: string
  readonly since?: string
  readonly until?: string
  readonly agent?: readonly string[]
  readonly limit?: number
}

function usageCommand(program: Command, shell: Shell): void {
  withServer(program.command('usage'))
    .description('Add up tokens, money, calls and runs, by up to three of what they have')
    .option('--by <keys>', 'of user, end_user, agent, month, day', 'agent')
    .option('--since <time>', 'from this time on', instant)
    .option('--until <time>', 'before this time', instant)
    .option('-a, --agent <agent>', 'of this agent (may be repeated)', several)
    .option('-n, --limit <n>', 'how many groups at most', wholeNumber(1, 1000))
    .action(async (options: UsageOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const { by, since, until, agent, limit } = options
      const client = createClient(serverOf(options, shell))
      const usage = await client.usage({ by, since, until, agent, limit })
      terminal.document(usage)
      const rows = usage.groups.map((group) =>
        Object.fromEntries(
          Object.entries(group).map(([name, value]) => [name, value === null ? '' : shown(value)]),
        ),
      )
      printTable(terminal, rows, 'Nothing was used.')
      if (usage.truncated) terminal.note('There are more groups than are shown.')
    })
}
