/** A question of the model, which a person answers through the API while the run waits. */
import { z } from 'zod'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'bookkeeper'
const question = 'Which account is to be charged?'
const options = ['Savings', 'Checking']

const Input = z.looseObject({ call_id: z.string(), question: z.string() })

export const questionScene: Scene = {
  title: 'The model asks, and the same run goes on with the answer',
  why: 'A question that ends the run loses its files, its budget and its stream; here it is a call that a person answers.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You keep the books.',
      clarification: true,
    },
  }),
  scripts: {
    [agent]: (prompt, turn) => {
      if (turn === 0) return { calls: [{ name: 'ask_clarification', args: { question, options } }] }
      const isSavings = JSON.stringify(prompt.at(-1)).includes('Savings')
      const text = isSavings ? 'Charged to savings.' : 'Nothing was charged.'
      return { text, delayMs: 15, chunkSize: 6 }
    },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const { print } = stage
  const run = stage.run({ agent, input: 'Charge the invoice.' })
  const asked = await run.until(({ type }) => type === 'input.requested')
  const runId = asked.run_id
  const [waits] = z.array(Input).parse(JSON.parse(await stage.get(`/inputs?run_id=${runId}`)))
  expect(waits?.question === question, 'the question is not listed')
  print.act(`a second terminal could say: npx signalbox answer ${runId} Savings --url ${stage.url}`)
  const path = `/runs/${runId}/inputs/${waits.call_id}`
  const wrong = await stage.post(path, { option: 'The third one' })
  expect(wrong === 422, `an answer that is none answered ${wrong}, not 422`)
  print.act(`here the demo says it: POST ${path} {"option":"Savings"}`)
  const status = await stage.post(path, { option: 'Savings' })
  expect(status === 200, `the answer answered ${status}, not 200`)
  const { outcome, events, said } = await run.ended
  print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  expect(said.includes('Charged to savings.'), 'the model did not read the answer')
  const isStarted = events.some(({ type, tool }) => type === 'effect.started' && tool !== null)
  expect(!isStarted, 'a worker was asked for something')
  print.met('the same run went on with the answer, in the same stream, and no worker was needed')
  const late = await stage.post(path, { option: 'Checking' })
  expect(late === 409, `another answer answered ${late}, not 409`)
  print.met('the first answer stands: another one is refused with 409')
}
