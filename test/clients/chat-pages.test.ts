/**
 * Chat pages on `useStream` and `useChat` in a real Chromium, from another origin than the server's: what a person clicks, and what they see.
 * Would catch: an approval without buttons, an answer that goes to another call, a page that is empty after a reload, a stop
 * that looks like a breakpoint, a list without threads; and whatever makes the console of the page complain.
 */
import { randomUUID } from 'node:crypto'
import { definePolicy } from '@signalbox/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { hold, isHolding, letAllGo, letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { lastWords } from '../../packages/server/test/support/last-words.ts'
import { lastResults, note, noted, noting } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { servePage, type Site } from './support/chat-page-server.ts'
import { type Person, skipBrowser, startChromium, type Tab } from './support/chromium.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }
const sentences = Array.from({ length: 30 }, (_, n) => `Sentence ${n} of the answer. `)
const isReady = (text: string) => text.includes('Send') && !text.includes('Stop')

let answers = 0
let database: TestDatabase | undefined
let box: TestSignalbox
let site: Site
let chromium: Awaited<ReturnType<typeof startChromium>>
let person: Person

const start = (port = 0) =>
  startTest(
    {
      agents: {
        clerk: { model: scripted('counting') },
        asker: { model: scripted('once'), ...asking },
        pair: { model: scripted('pair'), ...asking },
        lasting: { model: scripted('once'), ...asking },
        speaker: { model: scripted('speaking') },
        holder: { model: scripted('holding'), tools: ['hold'] },
        broken: { model: scripted('broken'), modelRetries: { max: 0, baseMs: 1, capMs: 1 } },
        guarded: {
          model: scripted('once'),
          ...asking,
          guardrails: {
            approvalTools: ['note'],
            provider: definePolicy({
              id: 'no-poison',
              evaluate: ({ args }) => ({
                allow: args['text'] !== 'poison',
                reasons: [{ code: 'poison', message: 'Poison is not noted.' }],
              }),
            }),
          },
        },
      },
      tools: [note, hold],
      server: { cors: { origins: [site.url] } },
      scripts: {
        counting: (prompt) => ({ text: `Answer ${(answers += 1)} to: ${lastWords(prompt)}` }),
        once: noting(1),
        pair: (prompt, turn) =>
          turn === 0
            ? { calls: ['milk', 'bread'].map((text) => ({ name: 'note', args: { text } })) }
            : { text: `I read: ${lastResults(prompt)}` },
        speaking: () => ({ text: sentences.join(''), chunkSize: 24, delayMs: 60 }),
        holding: (_, turn) =>
          turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
        broken: () => ({ status: { code: 401, error: { message: 'the key sk-secret is wrong' } } }),
      },
    },
    { env: { DATABASE_URL: database?.adminUrl }, port },
  )

beforeAll(async () => {
  if (skipBrowser) return
  database = await createTestDatabase()
  const browsing = startChromium()
  site = await servePage()
  ;[chromium, box] = await Promise.all([browsing, start()])
})

afterAll(async () => {
  letAllGo()
  await chromium?.close()
  await site?.close()
  await box?.stop()
  await database?.drop()
})

beforeEach(async () => {
  if (!skipBrowser) person = await chromium.person([site.url, box.api])
})

afterEach(async (test) => {
  if (skipBrowser) return
  await person.photograph(test.task.name)
  const { troubles } = person
  await person.leave()
  if (troubles.length > 0) throw new Error(`the page is in trouble: ${troubles.join('; ')}`)
})

const open = (agent: string, thread?: string): Promise<Tab> => {
  const query = new URLSearchParams({ api: box.api, agent, ...(thread ? { thread } : {}) })
  return person.open(`${site.url}/?${query.toString()}`)
}
const threadOf = ({ page }: Tab): string => new URL(page.url()).searchParams.get('thread') ?? ''
const runsOf = async (tab: Tab): Promise<{ run_id: string; outcome: string | null }[]> =>
  (await call(box.api, 'GET', `/threads/${threadOf(tab)}/runs`)).body
const lastRun = async (tab: Tab): Promise<string> => (await runsOf(tab))[0]?.run_id ?? ''

/** A tab on which something was said, and answered. */
async function answered(agent: string, words: string): Promise<Tab> {
  const tab = await open(agent)
  await tab.say(words)
  await tab.until((text) => isReady(text) && text.includes(`to: ${words}`))
  return tab
}

/** A tab that shows the buttons of an approval. */
async function asked(agent: string, words = 'Note it.'): Promise<Tab> {
  const tab = await open(agent)
  await tab.say(words)
  await tab.until((text) => isReady(text) && text.includes('May note be executed?'))
  return tab
}

describe.skipIf(skipBrowser)('a person who chats', () => {
  it('says something by key, and reads the answer', async () => {
    const tab = await answered('clerk', 'Hello.')
    expect(await tab.said()).toEqual([
      'human: Hello.',
      expect.stringMatching(/^ai: Answer \d+ to: Hello\.$/),
    ])
  })

  it('says something by the button', async () => {
    const tab = await open('clerk')
    await tab.page.getByLabel('Message', { exact: true }).fill('By the button.')
    await tab.click('Send')
    const said = await tab.until((text) => isReady(text) && text.includes('to: By the button.'))
    expect(said).not.toContain('breakpoint')
  })

  it('writes two lines in one message', async () => {
    const tab = await open('clerk')
    const field = tab.page.getByLabel('Message', { exact: true })
    await field.fill('One.')
    await field.press('Shift+Enter')
    await field.pressSequentially('Two.')
    expect(await field.inputValue()).toBe('One.\nTwo.')
    await field.press('Enter')
    await tab.until((text) => isReady(text) && text.includes('Answer'))
    expect((await tab.said())[0]).toBe('human: One.\nTwo.')
  })

  it('sees the text while it is written', async () => {
    const tab = await open('speaker')
    await tab.say('Speak.')
    const early = await tab.until((text) => text.includes('Sentence 2 '))
    expect(early).not.toContain('Sentence 29')
    expect(early).toContain('Stop')
    await tab.until((text) => isReady(text) && text.includes('Sentence 29'))
    expect((await tab.said())[1]).toBe(`ai: ${sentences.join('').trimEnd()}`)
  })

  it('goes on with the conversation', async () => {
    const tab = await answered('clerk', 'First.')
    await tab.say('Second.')
    await tab.until((text) => isReady(text) && text.includes('to: Second.'))
    expect(await tab.said()).toHaveLength(4)
  })

  it('begins another conversation, and comes back to the first', async () => {
    const tab = await answered('clerk', 'The first of two.')
    await tab.click('New chat')
    await tab.until((text) => !text.includes('to: The first of two.'))
    await tab.say('The second of two.')
    await tab.until((text) => isReady(text) && text.includes('to: The second of two.'))
    expect(await tab.said()).toHaveLength(2)
    await tab.click('The first of two.')
    await tab.until((text) => isReady(text) && text.includes('to: The first of two.'))
    expect(await tab.said()).toHaveLength(2)
  })
})

describe.skipIf(skipBrowser)('a person who is asked', () => {
  it('sees what for, and approves', async () => {
    const tab = await asked('asker')
    expect(await tab.page.getByLabel('Arguments').inputValue()).toBe('{"text":"milk"}')
    await tab.click('Approve')
    const done = await tab.until((text) => isReady(text) && text.includes('I read: noted milk'))
    expect(done).not.toContain('May note be executed?')
    expect(noted.get(await lastRun(tab))).toEqual(['milk'])
  })

  it('changes the arguments, and approves', async () => {
    const tab = await asked('asker')
    await tab.page.getByLabel('Arguments').fill('{"text":"tea"}')
    await tab.click('Approve changes')
    await tab.until((text) => isReady(text) && text.includes('I read: noted tea'))
    expect(noted.get(await lastRun(tab))).toEqual(['tea'])
  })

  it('rejects with words that the agent reads', async () => {
    const tab = await asked('asker')
    await tab.page.getByLabel('Reason').fill('There is enough milk.')
    await tab.click('Reject')
    await tab.until((text) => isReady(text) && text.includes('There is enough milk.'))
    expect(noted.get(await lastRun(tab))).toBeUndefined()
  })

  it('decides about each of two calls', async () => {
    const tab = await asked('pair')
    const [milk, bread] = ['milk', 'bread'].map((text) =>
      tab.page.getByLabel(`note ${JSON.stringify({ text })}`),
    )
    await bread?.getByRole('button', { name: 'Approve', exact: true }).click()
    await tab.until((text) => text.includes('approve'))
    await milk?.getByRole('button', { name: 'Reject' }).click()
    await tab.until((text) => isReady(text) && text.includes('I read:'))
    expect(noted.get(await lastRun(tab))).toEqual(['bread'])
  })

  it('still sees the buttons after a reload, and they work', async () => {
    const tab = await asked('asker')
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('May note be executed?'))
    await tab.click('Approve')
    await tab.until((text) => isReady(text) && text.includes('I read: noted milk'))
    expect(noted.get(await lastRun(tab))).toEqual(['milk'])
  })

  it('says something else instead, and is heard', async () => {
    const tab = await asked('asker')
    const before = await lastRun(tab)
    await tab.say('Never mind.')
    await tab.until((text) => isReady(text) && text.includes('Never mind.'))
    expect(await tab.text()).not.toContain('Successfully handled')
    expect(noted.get(before)).toBeUndefined()
    const { body } = await call(box.api, 'GET', `/runs/${before}`)
    expect(body.outcome).toBe('cancelled')
  })
})

describe.skipIf(skipBrowser)('a person who wants it otherwise', () => {
  it('has an answer made again', async () => {
    const tab = await answered('clerk', 'Say it.')
    const [, first] = await tab.said()
    await tab.click('Refresh')
    await tab.until((text) => isReady(text) && text.includes('Version 2 of 2'))
    const [words, second, ...more] = await tab.said()
    expect([words, more]).toEqual(['human: Say it.', []])
    expect(second).toMatch(/^ai: Answer \d+ to: Say it\.$/)
    expect(second).not.toBe(first)
  })

  it('reads the older answer, and the newer one again after a reload', async () => {
    const tab = await answered('clerk', 'Say it twice.')
    const [, first] = await tab.said()
    await tab.click('Refresh')
    await tab.until((text) => isReady(text) && text.includes('Version 2 of 2'))
    const [, second] = await tab.said()
    await tab.click('Older version')
    await tab.until((text) => text.includes('Version 1 of 2'))
    expect((await tab.said())[1]).toBe(first)
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('Version 2 of 2'))
    expect((await tab.said())[1]).toBe(second)
  })

  it('has the first of two answers made again, and the rest is gone', async () => {
    const tab = await answered('clerk', 'One.')
    await tab.say('Two.')
    await tab.until((text) => isReady(text) && text.includes('to: Two.'))
    await tab.page.getByRole('button', { name: 'Refresh' }).first().click()
    await tab.until((text) => isReady(text) && text.includes('Version 2 of 2'))
    expect(await tab.said()).toHaveLength(2)
    expect(await tab.text()).not.toContain('to: Two.')
  })

  it('says a message otherwise', async () => {
    const tab = await answered('clerk', 'The beginning.')
    await tab.say('Mistaken.')
    await tab.until((text) => isReady(text) && text.includes('to: Mistaken.'))
    await tab.click('Edit')
    await tab.page.getByLabel('Edit message').fill('Corrected.')
    await tab.click('Save')
    await tab.until((text) => isReady(text) && text.includes('to: Corrected.'))
    const said = await tab.said()
    expect(said).toHaveLength(4)
    expect(said[2]).toBe('human: Corrected.')
    expect(said.join()).not.toContain('Mistaken.')
  })
})

describe.skipIf(skipBrowser)('a person who stops', () => {
  it('in the middle of text sees no breakpoint, and goes on', async () => {
    const tab = await open('speaker')
    await tab.say('Speak, and be stopped.')
    await tab.until((text) => text.includes('Sentence 2 '))
    await tab.click('Stop')
    await tab.until(isReady)
    await eventually(async () => (await runsOf(tab))[0]?.outcome === 'cancelled')
    expect(await tab.text()).not.toMatch(/breakpoint|Sentence 29/)
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('Speak, and be stopped.'))
    expect(await tab.text()).not.toContain('breakpoint')
  })

  it('while a tool runs sees no breakpoint', async () => {
    const tab = await open('holder')
    await tab.say('Hold.')
    await eventually(async () => isHolding(await lastRun(tab)))
    // The page reads the thread while the cancel is under way.
    const read = tab.page.waitForResponse((answer) => answer.url().endsWith('/history'))
    await tab.click('Stop')
    await (await read).finished()
    await tab.until(isReady)
    expect(await tab.text()).not.toContain('breakpoint')
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('Hold.'))
    expect(await tab.text()).not.toContain('breakpoint')
    letGo(await lastRun(tab))
    await eventually(async () => (await runsOf(tab))[0]?.outcome === 'cancelled')
  })
})

describe.skipIf(skipBrowser)('a person who loads the page anew', () => {
  it('in the middle of text has what was there at once, and sees the rest', async () => {
    const tab = await open('speaker')
    await tab.say('Speak on.')
    await tab.until((text) => text.includes('Sentence 5 '))
    await tab.page.reload()
    const again = await tab.until((text) => text.includes('Sentence 5 '))
    expect(again).toContain('Stop')
    expect(again).not.toContain('Sentence 29')
    await tab.until((text) => isReady(text) && text.includes('Sentence 29'))
    expect(await tab.said()).toEqual(['human: Speak on.', `ai: ${sentences.join('').trimEnd()}`])
  })

  it('while a tool runs sees its result', async () => {
    const tab = await open('holder')
    await tab.say('Hold on.')
    await eventually(async () => isHolding(await lastRun(tab)))
    await tab.page.reload()
    await tab.until((text) => text.includes('Hold on.') && text.includes('Stop'))
    letGo(await lastRun(tab))
    await tab.until((text) => isReady(text) && text.includes('Done.'))
    expect(await tab.said()).toContain('tool: held')
  })

  it('after the end has all of it', async () => {
    const tab = await answered('clerk', 'To be kept.')
    const before = await tab.said()
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('to: To be kept.'))
    expect(await tab.said()).toEqual(before)
  })

  it('ten times, one right after the other, has it in the end', async () => {
    const tab = await answered('clerk', 'Over and over.')
    const address = tab.page.url()
    for (let n = 0; n < 9; n += 1) await tab.page.goto(address, { waitUntil: 'commit' })
    await tab.page.goto(address)
    await tab.until((text) => isReady(text) && text.includes('to: Over and over.'))
    expect(await tab.said()).toHaveLength(2)
  })
})

describe.skipIf(skipBrowser)('a person with two tabs', () => {
  it('reads in the second what was said in the first', async () => {
    const tab = await answered('clerk', 'Said in one.')
    const other = await open('clerk', threadOf(tab))
    await other.until((text) => isReady(text) && text.includes('to: Said in one.'))
    expect(await other.said()).toEqual(await tab.said())
  })

  it('answers in the second what the first was asked', async () => {
    const tab = await asked('asker')
    const other = await open('asker', threadOf(tab))
    await other.until((text) => isReady(text) && text.includes('May note be executed?'))
    await other.click('Approve')
    await other.until((text) => isReady(text) && text.includes('I read: noted milk'))
    await tab.page.reload()
    const seen = await tab.until((text) => isReady(text) && text.includes('I read: noted milk'))
    expect(seen).not.toContain('May note be executed?')
  })

  it('says something in each, one after the other', async () => {
    const tab = await answered('clerk', 'From one.')
    const other = await open('clerk', threadOf(tab))
    await other.until((text) => isReady(text) && text.includes('to: From one.'))
    await other.say('From two.')
    await other.until((text) => isReady(text) && text.includes('to: From two.'))
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('to: From two.'))
    expect(await tab.said()).toHaveLength(4)
  })
})

describe.skipIf(skipBrowser)('a person whose server was restarted', () => {
  it('finds the threads, and answers what was asked before', async () => {
    const tab = await asked('lasting', 'Note it for later.')
    const port = Number(new URL(box.api).port)
    await tab.page.goto('about:blank')
    await box.stop()
    box = await start(port)
    const again = await open('lasting')
    await again.until((text) => text.includes('Note it for later.'))
    await again.click('Note it for later.')
    await again.until((text) => isReady(text) && text.includes('May note be executed?'))
    await again.click('Approve')
    const text = await again.until((seen) => isReady(seen) && seen.includes('I read: noted milk'))
    expect(text).not.toContain('May note be executed?')
  })
})

describe.skipIf(skipBrowser)('a person whose request fails', () => {
  it('reads why the model gave no answer', async () => {
    const tab = await open('broken')
    await tab.say('Try.')
    const text = await tab.until(
      (seen) => isReady(seen) && seen.includes('auth: 401 from scripted'),
    )
    expect(text).not.toContain('sk-secret')
    // The client of the page writes every error of a run to the console.
    const [trouble, ...others] = person.troubles.splice(0)
    expect([trouble, others]).toEqual([expect.stringContaining('auth: 401 from scripted'), []])
  })

  it('reads that the policies deny an edit, and the call still waits', async () => {
    const tab = await asked('guarded')
    await tab.page.getByLabel('Arguments').fill('{"text":"poison"}')
    await tab.click('Approve changes')
    await tab.until((seen) => isReady(seen) && seen.includes('Poison is not noted.'))
    expect(person.troubles.splice(0).every((line) => /422|Poison/.test(line))).toBe(true)
    await tab.page.reload()
    await tab.until((seen) => isReady(seen) && seen.includes('May note be executed?'))
    await tab.click('Approve')
    await tab.until((seen) => isReady(seen) && seen.includes('I read: noted milk'))
  })
})

/** A tab with a chat of the AI SDK. */
const chat = (agent: string): Promise<Tab> => {
  const query = new URLSearchParams({ api: box.api, agent, chat: randomUUID() })
  return person.open(`${site.url}/ai.html?${query.toString()}`)
}

describe.skipIf(skipBrowser)('a person on a page of the AI SDK', () => {
  it('says something, and reads the answer', async () => {
    const tab = await chat('clerk')
    await tab.say('Hello, chat.')
    await tab.until((text) => isReady(text) && text.includes('to: Hello, chat.'))
    await tab.say('And again.')
    await tab.until((text) => isReady(text) && text.includes('to: And again.'))
    expect(await tab.said()).toEqual([
      'user: Hello, chat.',
      expect.stringMatching(/^assistant: Answer \d+ to: Hello, chat\.$/),
      'user: And again.',
      expect.stringMatching(/^assistant: Answer \d+ to: And again\.$/),
    ])
  })

  it('sees what is asked for, and approves', async () => {
    const tab = await chat('asker')
    await tab.say('Note it.')
    await tab.until((text) => isReady(text) && text.includes('{"text":"milk"}'))
    await tab.click('Approve')
    const text = await tab.until((seen) => isReady(seen) && seen.includes('I read: noted milk'))
    expect(text).not.toContain('May it be executed')
  })

  it('rejects with words that the agent reads', async () => {
    const tab = await chat('asker')
    await tab.say('Note it.')
    await tab.until((text) => isReady(text) && text.includes('{"text":"milk"}'))
    await tab.page.getByLabel('Reason').fill('There is enough milk.')
    await tab.click('Reject')
    const text = await tab.until((seen) => isReady(seen) && seen.includes('There is enough milk.'))
    expect(text).not.toContain('noted milk')
  })

  it('still sees the buttons after a reload, and they work', async () => {
    const tab = await chat('asker')
    await tab.say('Note it later.')
    await tab.until((text) => isReady(text) && text.includes('{"text":"milk"}'))
    await tab.page.reload()
    await tab.until((text) => isReady(text) && text.includes('{"text":"milk"}'))
    await tab.click('Approve')
    const text = await tab.until((seen) => isReady(seen) && seen.includes('I read: noted milk'))
    expect(text).toContain('Note it later.')
  })

  it('has the answer made again', async () => {
    const tab = await chat('clerk')
    await tab.say('Once more.')
    await tab.until((text) => isReady(text) && text.includes('to: Once more.'))
    const [, first] = await tab.said()
    await tab.click('Refresh')
    await tab.until((text) => isReady(text) && !text.includes(first?.split(': ')[1] ?? ''))
    await tab.until((text) => isReady(text) && text.includes('to: Once more.'))
    const [words, second, ...more] = await tab.said()
    expect([words, more]).toEqual(['user: Once more.', []])
    expect(second).not.toBe(first)
  })

  it('stops in the middle of text', async () => {
    const tab = await chat('speaker')
    await tab.say('Speak, and be stopped.')
    await tab.until((text) => text.includes('Sentence 2 '))
    await tab.click('Stop')
    const text = await tab.until(isReady)
    expect(text).not.toContain('Sentence 29')
  })

  it('loads the page anew in the middle of text, and sees the rest', async () => {
    const tab = await chat('speaker')
    await tab.say('Speak on.')
    await tab.until((text) => text.includes('Sentence 5 '))
    await tab.page.reload()
    const again = await tab.until((text) => text.includes('Sentence 5 '))
    expect(again).not.toContain('Sentence 29')
    await tab.until((text) => isReady(text) && text.includes('Sentence 29'))
    expect(await tab.said()).toEqual([
      'user: Speak on.',
      `assistant: ${sentences.join('').trimEnd()}`,
    ])
  })
})
