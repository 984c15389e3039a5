/** A thread gets its name. */
import type { Prompt } from '@signalbox/core'
import { z } from 'zod'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'namer'
const bells = 'bells'
const other = 'lamps'
/** The first line as it is said, and as a title says it. */
const said = '# What do **bells** cost?'
const words = 'What do bells cost?'
const byModel = 'Prices of bells'
const mine = 'Bells for the south'
const excuse = "I'm sorry, but I can't name that."

const isTitle = (prompt: Prompt): boolean =>
  JSON.stringify(prompt).includes('Name the conversation')

export const titlesScene: Scene = {
  title: 'A thread gets its name',
  why: 'Its first words at once; then a model, after the run and never in its way; and a person has the last word.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You know all prices.',
      title: { maxWords: 4 },
    },
  }),
  scripts: {
    [agent]: (prompt) => {
      const isOfBells = JSON.stringify(prompt).includes('bells')
      if (isTitle(prompt)) return { text: isOfBells ? byModel : excuse }
      return { text: 'Twelve, each.', delayMs: 15, chunkSize: 6 }
    },
  },
  play,
}

const Thread = z.looseObject({ metadata: z.looseObject({ title: z.string() }) })
const Page = z.looseObject({
  events: z.array(z.looseObject({ payload: z.looseObject({ reason: z.string() }) })),
})

const titleOf = async (stage: Stage, thread: string): Promise<string> =>
  Thread.parse(JSON.parse(await stage.get(`/threads/${thread}`))).metadata.title

const triesMax = 200
const betweenMs = 50

/** Asks until the answer is there: nobody waits for a title, so nobody is told. */
async function eventually<T>(stage: Stage, ask: () => Promise<T | null>): Promise<T | null> {
  for (let n = 0; n < triesMax; n += 1) {
    const answer = await ask()
    if (answer !== null) return answer
    await stage.pause(betweenMs)
  }
  return null
}

async function play(stage: Stage): Promise<void> {
  const { print } = stage
  const input = `${said}\nIn all sizes.`
  const { outcome, events } = await stage.run({ agent, threadId: bells, input }).ended
  print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const [first] = events.filter(({ type }) => type === 'thread.titled')
  const at = first?.payload['title']
  expect(at === words, `the thread was called ${String(at)} when its run was created`)
  print.met(`from its first moment the thread was called "${words}", by its first words`)
  const named = await eventually(stage, async () =>
    (await titleOf(stage, bells)) === byModel ? byModel : null,
  )
  expect(named !== null, `the thread is called ${await titleOf(stage, bells)}`)
  print.met(`the run had ended, and a model called it "${byModel}": a note behind the end`)
  await playExcuse(stage)
  await playPerson(stage)
}

/** Models answer with an excuse in place of a title. */
async function playExcuse(stage: Stage): Promise<void> {
  const { outcome } = await stage.run({ agent, threadId: other, input: 'And lamps?' }).ended
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const reason = await eventually(stage, async () => {
    const path = `/events?type=title.unchanged&thread_id=${other}`
    const { events } = Page.parse(JSON.parse(await stage.get(path)))
    return events[0]?.payload.reason ?? null
  })
  expect(reason !== null, 'no title.unchanged is in the log')
  const title = await titleOf(stage, other)
  expect(title === 'And lamps?', `the excuse of the model became the title ${title}`)
  stage.print.met(`an excuse of the model is no title (${reason}): the words stand`)
}

async function playPerson(stage: Stage): Promise<void> {
  const path = `/threads/${bells}`
  stage.print.act(`PATCH ${path}, { "title": "${mine}" }`)
  const body = JSON.stringify({ title: mine })
  const headers = { 'content-type': 'application/json' }
  const { status } = await stage.ask(path, { method: 'PATCH', body, headers })
  expect(status === 200, `PATCH answered ${status}, not 200`)
  const { outcome, events } = await stage.run({
    agent,
    threadId: bells,
    input: 'And in the south, for bells?',
  }).ended
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  expect(!events.some(({ type }) => type === 'thread.titled'), 'a later run gave a title')
  const title = await titleOf(stage, bells)
  expect(title === mine, `the thread is called ${title}`)
  stage.print.met(`what a person called it stands: "${mine}"`)
}
