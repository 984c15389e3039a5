/**
 * The same page on the AI SDK's `useChat`. It keeps what was said to the last message of the user, as a page does that stores its
 * chats; the server tells the rest. Its address says which server, which agent and which chat.
 */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Composer } from './composer.tsx'

const query = new URLSearchParams(location.search)
const api = `${query.get('api') ?? ''}/chat/${query.get('agent') ?? ''}`
const id = query.get('chat') ?? ''

const key = `chat:${id}`
const kept: UIMessage[] = JSON.parse(sessionStorage.getItem(key) ?? '[]')

function App() {
  const chat = useChat({
    id,
    messages: kept,
    resume: kept.length > 0,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    transport: new DefaultChatTransport({
      api,
      // To its end, even if it was completed while the page was away.
      prepareReconnectToStreamRequest: () => ({
        api: `${api}/${encodeURIComponent(id)}/stream?message_id=${kept.at(-1)?.id ?? ''}`,
      }),
    }),
  })
  const { messages, status, error } = chat
  useEffect(() => {
    const last = messages.findLastIndex(({ role }) => role === 'user')
    sessionStorage.setItem(key, JSON.stringify(messages.slice(0, last + 1)))
  }, [messages])
  const isLoading = status === 'submitted' || status === 'streaming'
  const stop = async () => {
    await fetch(`${api}/${encodeURIComponent(id)}/stop`, { method: 'POST' })
    await chat.stop()
  }
  return (
    <main>
      {messages.map((message) => (
        <div key={message.id}>
          {message.parts.map((part, n) =>
            part.type === 'text' ? (
              <article key={`${message.id} ${n}`} aria-label={message.role}>
                {part.text}
              </article>
            ) : isToolUIPart(part) && part.state === 'approval-requested' ? (
              <Question
                key={part.toolCallId}
                args={JSON.stringify(part.input)}
                onAnswer={(approved, reason) =>
                  void chat.addToolApprovalResponse({
                    id: part.approval.id,
                    approved,
                    ...(reason === '' ? {} : { reason }),
                  })
                }
              />
            ) : null,
          )}
        </div>
      ))}
      {messages.at(-1)?.role === 'assistant' && !isLoading ? (
        <button type="button" onClick={() => void chat.regenerate()}>
          Refresh
        </button>
      ) : null}
      {error ? <p role="alert">{error.message}</p> : null}
      <Composer
        isLoading={isLoading}
        onSend={(text) => void chat.sendMessage({ text })}
        onStop={() => void stop()}
      />
    </main>
  )
}

function Question({
  args,
  onAnswer,
}: {
  args: string
  onAnswer: (approved: boolean, reason: string) => void
}) {
  const [words, setWords] = useState('')
  return (
    <section aria-label="Approval">
      <p>May it be executed with {args}?</p>
      <input aria-label="Reason" value={words} onChange={({ target }) => setWords(target.value)} />
      <button type="button" onClick={() => onAnswer(true, '')}>
        Approve
      </button>
      <button type="button" onClick={() => onAnswer(false, words)}>
        Reject
      </button>
    </section>
  )
}

const root = document.querySelector('#root')
if (root) createRoot(root).render(<App />)
