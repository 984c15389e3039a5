/** Several files in parallel, then a report: the main job. */
import type { Prompt } from '@signalbox/core'
import type { ScriptedTurn } from '@signalbox/models'
import { expect } from '../expect.ts'
import { reportFiles, reportInput, reportInstructions, reportTools } from '../report-task.ts'
import type { RunEvent } from '../run-event.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'reporter'
const reading = 'mcp__fs__read_text_file'

export const reportScene: Scene = {
  title: 'Read three files in parallel, write a report',
  why: 'The main job: the calls of a turn go out together, and every step is in the log before it counts.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: reportInstructions,
      tools: reportTools,
    },
  }),
  scripts: { [agent]: answer },
  play,
}

const spoken = { delayMs: 15, chunkSize: 6 }

function answer(prompt: Prompt, turn: number): ScriptedTurn {
  if (turn === 0) {
    const calls = reportFiles.map((path) => ({ name: reading, args: { path } }))
    return { ...spoken, text: 'I read the three files at once.', calls }
  }
  if (turn === 1) {
    const args = { path: 'report.md', content: reportOf(resultsOf(prompt)) }
    return { ...spoken, calls: [{ name: 'write_file', args }] }
  }
  return { ...spoken, text: 'report.md says what it is, under which licence, and what it needs.' }
}

/** What the tools answered, in the order of the calls. */
const resultsOf = (prompt: Prompt): readonly string[] =>
  prompt.flatMap((message) => {
    if (message.role !== 'tool') return []
    return message.results.map(({ output }) =>
      output.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    )
  })

const first = (text: string, pattern: RegExp): string =>
  pattern.exec(text)?.[1]?.trim() ?? 'unknown'

/** Made of what was read, so that without the files there is no such report. */
function reportOf([readme = '', licence = '', manifest = '']: readonly string[]): string {
  return [
    `# ${first(readme, /^# (.+)$/m)}`,
    '',
    `- What: ${first(manifest, /"description": "([^"]+)"/)}`,
    `- Licence: ${first(licence, /^\s*(\S.*)$/m)}`,
    `- Needs: Node.js ${first(manifest, /"node": "(>=[^"]+)"/)}`,
    '',
  ].join('\n')
}

async function play(stage: Stage): Promise<void> {
  const { outcome, events } = await stage.run({ agent, input: reportInput }).ended
  stage.print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const done = events.filter(({ type, tool }) => type === 'tool.completed' && tool === reading)
  expect(done.length === reportFiles.length, `${done.length} files were read`)
  expect(sentTogether(events), 'the reads did not go out in one decision')
  stage.print.met('one decision sent the three reads out; each was answered once')
  const [file] = await stage.files('report.md')
  expect(file !== undefined, 'report.md is not in the workspace')
  expect(file.text.includes('Apache License'), 'report.md does not hold what the files say')
  stage.print.met('report.md is in the workspace:')
  for (const line of file.text.trim().split(/\n+/)) stage.print.aside(`     ${line}`)
}

/** Did one decision order all reads? Whether they overlap in time is up to the machine. */
const sentTogether = (events: readonly RunEvent[]): boolean =>
  events.some(({ type, payload }) => {
    const effects = type === 'run.transitioned' ? payload['effects'] : []
    return Array.isArray(effects) && effects.length === reportFiles.length
  })
