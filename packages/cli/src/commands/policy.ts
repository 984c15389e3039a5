/** `policy test`: policies have tests, as code has. */
import type { Command } from 'commander'
import { listenForInterrupt } from '../interrupt.ts'
import { type CommonOptions, withCommon } from '../options.ts'
import { createTerminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export interface PolicyTestOptions extends CommonOptions {
  readonly config?: string
  readonly agent?: string
}

export function policyCommand(program: Command, shell: Shell): void {
  const policy = program
    .command('policy')
    .description('Test what the policies of a configuration decide')
    .helpCommand(false)
  withCommon(policy.command('test'))
    .description('Compare the decisions about a table of calls with those that are expected')
    .argument('<file>', 'the table: JSON, or a module whose default export it is')
    .option('--config <file>', 'this configuration, not the one of the folder')
    .option('-a, --agent <agent>', 'rows of this agent only')
    .addHelpText('after', help)
    .action(async (file: string, options: PolicyTestOptions) => {
      const { testPolicies } = await import('../local/policy/test-policies.ts')
      const interrupt = listenForInterrupt()
      const terminal = createTerminal({ json: options.json === true })
      const { signal } = interrupt
      try {
        shell.finish(await testPolicies(shell, { terminal, file, options, signal }))
      } finally {
        interrupt.release()
      }
    })
}

const help = `
A row of the table:
  { "name": "no rm", "agent": "writer", "tool": "bash", "args": { "command": "rm -rf /" },
    "user": { "id": "ann", "role": "lead" }, "isSubagent": false, "at": "2026-11-20T12:00:00Z",
    "expect": "deny", "code": "oap.dangerous_operation" }
name, user, isSubagent, at and code may be left out. expect is allow, warn, deny or require_approval; code is one of the decision's
reasons. Lists, passports, Cedar, policy servers and modules are asked for real; no call is made, and neither a server
nor a database is needed. Exits with 1 if a row is not met, and with 2 for a table or configuration that is wrong.`
