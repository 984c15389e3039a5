/**
 * React's `useStream` in a real DOM, against a real server. Would catch: a page that shows no text until the end, an
 * interrupt that a page cannot answer, a stop that leaves the run going, a page loaded anew that stays empty.
 */
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { letGo } from '../../packages/server/test/support/hold.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { openTapeScene, speech, type TapeScene } from './support/tape-scene.ts'
import { openPage, type Page } from './support/use-stream-page.ts'

let scene: TapeScene
let page: Page | undefined

beforeAll(async () => {
  scene = await openTapeScene()
})
afterAll(async () => {
  await page?.close()
  await scene?.close()
})

const runsOf = async (thread: string): Promise<{ run_id: string; outcome: string | null }[]> =>
  (await call(scene.box.api, 'GET', `/threads/${thread}/runs`)).body
const isReady = (text: string) => text.includes('[ready')

describe.each(['langgraph-sdk-1/react', 'langgraph-sdk-15/react'])('useStream of %s', (sdk) => {
  const open = async (agent: string, threadId?: string, session = new Map<string, string>()) => {
    await page?.close()
    const { threads } = new Client({ apiUrl: scene.box.api, apiKey: null })
    const thread = threadId ?? (await threads.create()).thread_id
    page = await openPage({ sdk, api: scene.box.api, agent, threadId: thread, session })
    return { page, thread, session }
  }

  it('submits, and shows text while it is written', async () => {
    const { page: chat } = await open('speaker')
    await chat.click('send')
    const early = await chat.until((text) => text.includes('ai: sentence 0.0'))
    expect(early).toContain('[busy')
    expect(early).not.toContain('sentence 2.7')
    const done = await chat.until((text) => isReady(text) && text.includes('sentence 2.7'))
    for (const turn of [0, 1, 2]) expect(done).toContain(`ai: ${speech(turn)}|`)
    expect(done).toContain('human: Go.|')
    expect(done).toContain('tool: seen 1|')
  })

  it('shows an interrupt, and resumes', async () => {
    const { page: chat } = await open('asker')
    await chat.click('send')
    const asked = await chat.until((text) => isReady(text) && text.includes('May I?'))
    expect(asked).toContain('"tool":"note"')
    await chat.click('approve')
    const done = await chat.until((text) => isReady(text) && text.includes('I read: noted milk'))
    expect(done).not.toContain('May I?')
  })

  it('stops the run, not only the page', async () => {
    const { page: chat, thread } = await open('holder')
    await chat.click('send')
    await chat.until((text) => text.includes('human: Go.') && text.includes('[busy'))
    await chat.click('stop')
    await chat.until(async (text) => {
      const [run] = await runsOf(thread)
      letGo(run?.run_id ?? '')
      return isReady(text) && run?.outcome !== null
    })
    expect(await runsOf(thread)).toMatchObject([{ outcome: 'cancelled' }])
  })

  it('goes on with a run after the page was loaded anew', async () => {
    const { page: chat, thread, session } = await open('holder')
    await chat.click('send')
    await chat.until(() => session.size > 0)
    const { page: again } = await open('holder', thread, session)
    await again.until((text) => text.includes('[busy'))
    const done = await again.until(async (text) => {
      const [run] = await runsOf(thread)
      letGo(run?.run_id ?? '')
      return isReady(text) && text.includes('Done.')
    })
    expect(done).toContain('tool: held|ai: Done.|')
  })

  it('reads the past of a thread, and says its last message otherwise', async () => {
    const { page: chat, thread } = await open('child')
    await chat.click('send')
    await chat.until((text) => isReady(text) && text.includes('ai: Said.|'))
    const { page: again } = await open('child', thread)
    await again.until((text) => /\[ready [1-9]/.test(text))
    expect(again.text()).toContain('human: Go.|ai: Said.|')
    await again.click('send')
    await again.until((text) => isReady(text) && text.split('ai: Said.|').length === 3)
    await again.click('edit')
    const done = await again.until(
      (text) => isReady(text) && text.includes('human: Otherwise.|ai: Said.|'),
    )
    // What is said otherwise stands in the place of what was said.
    expect(done).toMatch(/^human: Go\.\|ai: Said\.\|human: Otherwise\.\|ai: Said\.\|/)
  })
})
