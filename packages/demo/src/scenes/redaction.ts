/**
 * Personal data that arrives in pieces. A guardrail holds the end of a text back until it can tell what it is, so the text is
 * long enough for the address to be seen in the stream, and not only at its end.
 */
import type { Prompt } from '@signalbox/core'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'support'
/** Each of these gives the person away. */
const secrets = ['ann.lee', 'mailbox.example']
const address = secrets.join('@')
const ticket =
  `The ticket is from ${address}, who asks about an order that has not arrived. The parcel left the warehouse on ` +
  'Monday, and the carrier has seen it twice since then. It lies at the depot, a few streets from where it should ' +
  'be: the label was torn on the way. I look at the files of the ticket, and say what can be done.'
const marker = '[redacted:email]'
const answer = { blind: 'I remember the marker only.', leaky: 'I still know the address.' }

const knows = (prompt: Prompt): boolean => {
  const text = JSON.stringify(prompt)
  return secrets.some((secret) => text.includes(secret)) || !text.includes(marker)
}

export const redactionScene: Scene = {
  title: 'The model spells out an e-mail address, three characters at a time',
  why: 'What a guardrail takes out reaches nobody: not the stream, not the log, not the next prompt.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You help customers.',
      tools: ['workspace'],
      guardrails: { stream: ['pii'] },
    },
  }),
  scripts: {
    [agent]: (prompt, turn) =>
      turn === 0
        ? {
            text: ticket,
            calls: [{ name: 'ls', args: { path: '.' } }],
            delayMs: 5,
            chunkSize: 3,
          }
        : { text: knows(prompt) ? answer.leaky : answer.blind, delayMs: 10, chunkSize: 3 },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const run = await stage.run({ agent, input: 'Who wrote ticket 7?' }).ended
  stage.print.outcome(run.outcome)
  expect(run.outcome === 'completed', `the outcome is ${run.outcome}, not completed`)
  const log = await stage.get(`/runs/${run.runId}/events?limit=1000`)
  // Pieces of a text stand in separate frames, so what they say together is looked at as well.
  const places = { deltas: run.said, stream: run.transcript, log }
  for (const [name, text] of Object.entries(places)) {
    const leaked = secrets.find((secret) => text.includes(secret))
    expect(leaked === undefined, `the address is in the ${name}`)
  }
  expect(log.includes(marker), `the log does not say ${marker}`)
  stage.print.met(`${marker} stands where the address was: in every delta, and in every event`)
  expect(log.includes(answer.blind), 'the next prompt held the address')
  stage.print.met('the next prompt held the marker too: the model itself says so')
}
