/** A command that no policy lets through, beside one that is fine. */
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'
import { harmless, noteFile, shellTool } from '../shell-tool.ts'

const agent = 'operator'
const command = 'rm -rf /'
const capability = 'system.command.execute'

/** As large as a passport can be: it allows every program. */
const passport = {
  passport_id: '7f0e6c1c-9d0b-4b53-9a3c-2f6d1f1a0c11',
  spec_version: 'oap/1.0',
  status: 'active',
  assurance_level: 'L1',
  capabilities: [{ id: capability }],
  limits: { [capability]: { allowed_commands: ['*'], max_execution_time: 60 } },
}

export const deniedScene: Scene = {
  title: 'The model asks for rm -rf /',
  why: 'Policies judge each call by itself: a denial is an error result for that call, and its sibling runs.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You keep machines tidy.',
      tools: [shellTool.spec.name],
      guardrails: {
        provider: { use: 'passport', passport, capabilities: { shell: capability } },
      },
    },
  }),
  tools: [shellTool],
  scripts: {
    [agent]: (_, turn) =>
      turn === 0
        ? { calls: [harmless, command].map((it) => ({ name: 'shell', args: { command: it } })) }
        : { text: 'I was not allowed to tidy up, and left it at that.', delayMs: 15, chunkSize: 6 },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const { outcome, events } = await stage.run({ agent, input: 'Free some space.' }).ended
  stage.print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const denials = events.filter(({ type }) => type === 'call.denied')
  const [denial] = denials
  const code = denial?.payload['code']
  expect(denials.length === 1, `there are ${denials.length} call.denied events, not one`)
  expect(code === 'oap.dangerous_operation', `the call was denied for ${String(code)}`)
  stage.print.met(
    'call.denied is in the log, with oap.dangerous_operation and the policy that said so',
  )
  const started = events.filter(({ type, tool }) => type === 'effect.started' && tool === 'shell')
  expect(started.length === 1, `the shell was started ${started.length} times, not once`)
  const [notes] = await stage.files(noteFile)
  expect(notes?.text === `${harmless}\n`, `the shell was given: ${notes?.text ?? 'nothing'}`)
  stage.print.met(`the shell was given "${harmless}", and nothing else`)
}
