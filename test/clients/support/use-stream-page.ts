/** A page in jsdom that uses LangGraph's `useStream`: what a user sees, and the buttons he has. */
import { JSDOM } from 'jsdom'
import type { UseStream } from 'langgraph-sdk-1/react'
import { act, createElement, type ReactNode } from 'react'

export interface Page {
  /** The text of the page. */
  readonly text: () => string
  readonly click: (name: string) => Promise<void>
  /** Waits until the page says so. */
  readonly until: (seen: (text: string) => boolean | Promise<boolean>) => Promise<string>
  /** Closes the tab. */
  readonly close: () => Promise<void>
}

export interface Shown {
  /** The package of the hook. */
  readonly sdk: string
  readonly api: string
  readonly agent: string
  readonly threadId: string
  /** What the browser keeps from page to page. */
  readonly session: Map<string, string>
}

interface Hook {
  readonly useStream: (options: object) => UseStream<{ messages: { content: string }[] }>
}

const button = (name: string, onClick: () => void): ReactNode =>
  createElement('button', { id: name, onClick }, name)

const said = (content: string) => ({ messages: [{ type: 'human', content }] })

function pageOf({ useStream }: Hook, { api, agent, threadId, session }: Shown) {
  const kept = {
    getItem: (key: `lg:stream:${string}`) => session.get(key) ?? null,
    setItem: (key: `lg:stream:${string}`, value: string) => void session.set(key, value),
    removeItem: (key: `lg:stream:${string}`) => void session.delete(key),
  }
  return function StreamPage(): ReactNode {
    const stream = useStream({
      apiUrl: api,
      apiKey: null,
      assistantId: agent,
      threadId,
      messagesKey: 'messages',
      fetchStateHistory: true,
      reconnectOnMount: () => kept,
    })
    const last = stream.messages.findLast(({ type }) => type === 'human')
    const before = last && stream.getMessagesMetadata(last)?.firstSeenState?.parent_checkpoint
    const resumable = { streamResumable: true, onDisconnect: 'continue' } as const
    const lines = stream.messages.map(({ type, content }, n) =>
      createElement('p', { key: n }, `${type}: ${typeof content === 'string' ? content : '?'}|`),
    )
    return createElement(
      'main',
      {},
      ...lines,
      stream.interrupt ? `May I? ${JSON.stringify(stream.interrupt.value)}` : '',
      button('send', () => void stream.submit(said('Go.'), resumable)),
      button(
        'approve',
        () => void stream.submit(undefined, { command: { resume: { decision: 'approve' } } }),
      ),
      button('stop', () => void stream.stop()),
      button('edit', () => void stream.submit(said('Otherwise.'), { checkpoint: before ?? null })),
      ` [${stream.isLoading ? 'busy' : 'ready'} ${stream.history.length}]`,
    )
  }
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 10))

/** Opens a page on a thread. */
export async function openPage(shown: Shown): Promise<Page> {
  const dom = new JSDOM('<!doctype html><div id="root"></div>', { url: 'http://page.test/' })
  const globals = { window: dom.window, document: dom.window.document }
  Object.assign(globalThis, globals, { IS_REACT_ACT_ENVIRONMENT: true })
  // What it finds when it is loaded decides whether it is in a browser.
  const { createRoot } = await import('react-dom/client')
  const hook: Hook = await import(shown.sdk)
  const container = dom.window.document.querySelector('#root')
  if (!container) throw new Error('no root')
  const root = createRoot(container)
  await act(async () => {
    root.render(createElement(pageOf(hook, shown)))
    await settle()
  })
  const text = () => container.textContent
  return {
    text,
    click: async (name) => {
      const found = dom.window.document.querySelector<HTMLButtonElement>(`#${name}`)
      if (!found) throw new Error(`no button ${name}: ${text()}`)
      await act(async () => {
        found.click()
        await settle()
      })
    },
    until: async (seen) => {
      const end = Date.now() + 20_000
      const look = async () => {
        await settle()
        return (await seen(text())) ? text() : null
      }
      for (;;) {
        const there = await act(look)
        if (there !== null) return there
        if (Date.now() > end) throw new Error(`the page says: ${text()}`)
      }
    },
    close: async () => {
      await act(async () => {
        root.unmount()
        await settle()
      })
      dom.window.close()
    },
  }
}
