/** A call that waits for a human, who answers through the API. */
import { z } from 'zod'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'publisher'
const file = 'press.md'
const content = '# We have a release\n'

const Approval = z.looseObject({
  approval_id: z.string(),
  args: z.record(z.string(), z.unknown()),
  expires_at: z.string(),
})

export const approvalScene: Scene = {
  title: 'A call waits for a human',
  why: 'Waiting is a state, not an end: nothing runs, nothing is held open, and the answer resumes the run.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You publish.',
      tools: ['workspace'],
      guardrails: { approvalTools: ['write_file'] },
    },
  }),
  scripts: {
    [agent]: (_, turn) =>
      turn === 0
        ? { calls: [{ name: 'write_file', args: { path: file, content } }] }
        : { text: 'It is published.', delayMs: 15, chunkSize: 6 },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const { print } = stage
  const run = stage.run({ agent, input: 'Publish the release.' })
  const asked = await run.until(({ type }) => type === 'approval.requested')
  const id = String(asked.payload['approvalId'])
  const waits = Approval.parse(JSON.parse(await stage.get(`/approvals/${id}`)))
  expect(waits.args['content'] === content, 'the approval does not show what is to be written')
  print.act(`a second terminal could say: npx signalbox approve ${id} --url ${stage.url}`)
  await stage.pause(400)
  expect((await stage.files(file)).length === 0, `${file} was written before anybody said yes`)
  print.act(`here the demo says it: POST /approvals/${id} {"decision":"approve"}`)
  const status = await stage.post(`/approvals/${id}`, { decision: 'approve', message: 'Fine.' })
  expect(status === 200, `the answer answered ${status}, not 200`)
  const { outcome, events } = await run.ended
  print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const answered = events.find(({ type }) => type === 'approval.answered')
  const started = events.find(
    ({ type, tool }) => type === 'effect.started' && tool === 'write_file',
  )
  expect(answered !== undefined && started !== undefined, 'the call was not approved, or never ran')
  expect(answered.seq < started.seq, 'the call ran before it was approved')
  const same = answered.payload['argsHash'] === asked.payload['argsHash']
  expect(same, 'the answer is about other arguments than those that were shown')
  expect((await stage.files(file))[0]?.text === content, `${file} is not what was approved`)
  print.met(`${file} was written after the answer, with the arguments that were shown`)
  const late = await stage.post(`/approvals/${id}`, { decision: 'reject' })
  expect(late === 409, `another answer answered ${late}, not 409`)
  print.met('the first answer stands: another one is refused with 409')
}
