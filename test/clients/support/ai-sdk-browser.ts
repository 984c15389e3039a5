/** A page in jsdom that uses `useChat`: what a user sees, and the buttons he has. */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { JSDOM } from 'jsdom'
import { act, createElement, type ReactNode } from 'react'

export interface Browser {
  /** The text of the page. */
  readonly text: () => string
  readonly click: (name: string) => Promise<void>
  /** Waits until the page says so. */
  readonly until: (seen: (text: string) => boolean) => Promise<void>
  /** Closes the tab. */
  readonly close: () => Promise<void>
}

interface Shown {
  readonly api: string
  readonly id: string
  readonly messages: UIMessage[]
  readonly resume: boolean
}

const button = (name: string, onClick: () => void): ReactNode =>
  createElement('button', { id: name, onClick }, name)

function ChatPage({ api, id, messages: kept, resume }: Shown): ReactNode {
  const { messages, sendMessage, status, addToolApprovalResponse } = useChat({
    id,
    messages: kept,
    resume,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const said = messages.map((message) =>
    createElement(
      'p',
      { key: message.id },
      message.parts.map((part, n) => {
        if (part.type === 'text') return part.text
        if (!('approval' in part) || part.state !== 'approval-requested') return null
        const { id: approvalId } = part.approval
        const approve = () => void addToolApprovalResponse({ id: approvalId, approved: true })
        return createElement('span', { key: n }, 'May I? ', button('approve', approve))
      }),
    ),
  )
  const send = () => void sendMessage({ text: 'Go.' })
  return createElement('main', {}, ...said, button('send', send), ` [${status}]`)
}

/** Opens a page with a chat. `resume`: it has been loaded anew, with these messages. */
export async function openBrowser(shown: Shown): Promise<Browser> {
  const dom = new JSDOM('<!doctype html><div id="root"></div>', { url: 'http://page.test/' })
  const globals = { window: dom.window, document: dom.window.document }
  Object.assign(globalThis, globals, { IS_REACT_ACT_ENVIRONMENT: true })
  // What it finds when it is loaded decides whether it is in a browser.
  const { createRoot } = await import('react-dom/client')
  const container = dom.window.document.querySelector('#root')
  if (!container) throw new Error('no root')
  const root = createRoot(container)
  await act(async () => {
    root.render(createElement(ChatPage, shown))
    await Promise.resolve()
  })
  const text = () => container.textContent
  return {
    text,
    click: async (name) => {
      const found = dom.window.document.querySelector<HTMLButtonElement>(`#${name}`)
      if (!found) throw new Error(`no button ${name}: ${text()}`)
      await act(async () => {
        found.click()
        await Promise.resolve()
      })
    },
    until: async (seen) => {
      while (!seen(text()))
        await act(() => new Promise<void>((resolve) => setTimeout(() => resolve(), 10)))
    },
    close: async () => {
      await act(async () => {
        root.unmount()
        await Promise.resolve()
      })
      dom.window.close()
    },
  }
}
