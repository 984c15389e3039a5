import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import type { Shell } from '../shell.ts'

export function demoCommand(program: Command, shell: Shell): void {
  program
    .command('demo')
    .description('Show what Signalbox does, in a minute, on a Postgres of its own')
    .addHelpText(
      'after',
      '\nA script plays the model. With OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY a real one plays' +
        '\nthe last scene. Nothing is left behind.',
    )
    .action(async () => {
      const { playDemo } = await import('@signalbox/demo')
      const code = await playDemo()
      if (code !== 0) shell.finish(code === 1 ? exitCodes.failed : exitCodes.interrupted)
    })
}
