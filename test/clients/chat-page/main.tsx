/**
 * A chat page as users of LangGraph have it, on `useStream`: it sends what the widely used ones send. Its address says which
 * server, which agent and which thread.
 */
import { Client, type Message, type Thread } from 'langgraph-sdk-15'
import { useStream } from 'langgraph-sdk-15/react'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Composer } from './composer.tsx'
import { type Decision, Review, type ReviewRequest } from './review.tsx'

interface State extends Record<string, unknown> {
  messages: Message[]
}

const query = new URLSearchParams(location.search)
const apiUrl = query.get('api') ?? ''
const agent = query.get('agent') ?? ''
const client = new Client<State>({ apiUrl, apiKey: null })

const unseen = 'do-not-render-'

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

const human = (content: string): Message => ({ id: crypto.randomUUID(), type: 'human', content })

/** An answer of the page's own for each call that has none: models refuse a conversation with open calls. */
function placeholders(messages: readonly Message[]): Message[] {
  const answered = new Set(
    messages.flatMap((each) => (each.type === 'tool' ? each.tool_call_id : [])),
  )
  const calls = messages.flatMap((each) => (each.type === 'ai' ? (each.tool_calls ?? []) : []))
  return calls.flatMap(({ id, name }) =>
    id === undefined || answered.has(id)
      ? []
      : [
          {
            type: 'tool' as const,
            id: `${unseen}${crypto.randomUUID()}`,
            tool_call_id: id,
            name,
            content: 'Successfully handled tool call.',
          },
        ],
  )
}

/** Where the page is, so that it is there again when it is loaded anew. */
function remember(threadId: string | null): void {
  const next = new URLSearchParams(location.search)
  if (threadId === null) next.delete('thread')
  else next.set('thread', threadId)
  history.replaceState(null, '', `?${next.toString()}`)
}

function App() {
  const [threadId, setThreadId] = useState(query.get('thread'))
  const open = (id: string | null) => {
    remember(id)
    setThreadId(id)
  }
  const stream = useStream<State, { InterruptType: { actionRequests?: ReviewRequest[] } }>({
    apiUrl,
    apiKey: null,
    assistantId: agent,
    threadId,
    onThreadId: open,
    messagesKey: 'messages',
    fetchStateHistory: true,
    reconnectOnMount: true,
  })
  const { messages, isLoading, error } = stream
  const options = {
    streamMode: ['values' as const],
    streamSubgraphs: true,
    streamResumable: true,
  }
  const send = (text: string) => {
    const said = [...placeholders(messages), human(text)]
    void stream.submit(
      { messages: said },
      {
        ...options,
        ...(stream.interrupt ? { multitaskStrategy: 'interrupt' } : {}),
        optimisticValues: () => ({ messages: [...messages, ...said] }),
      },
    )
  }
  const edit = (message: Message, text: string) => {
    const { firstSeenState } = stream.getMessagesMetadata(message) ?? {}
    const said = human(text)
    const at = messages.findIndex(({ id }) => id === message.id)
    const before = messages.slice(0, at)
    void stream.submit(
      { messages: [said] },
      {
        ...options,
        checkpoint: firstSeenState?.parent_checkpoint ?? null,
        optimisticValues: () => ({ messages: [...before, said] }),
      },
    )
  }
  const refresh = (message: Message) => {
    const { firstSeenState } = stream.getMessagesMetadata(message) ?? {}
    void stream.submit(undefined, {
      ...options,
      checkpoint: firstSeenState?.parent_checkpoint ?? null,
    })
  }
  const decide = (decisions: Decision[]) =>
    void stream.submit({ messages: [] }, { ...options, command: { resume: { decisions } } })
  const { interrupt } = stream
  const value = interrupt && !Array.isArray(interrupt) ? interrupt.value : undefined
  return (
    <>
      <Threads current={threadId} isLoading={isLoading} onOpen={open} />
      <main>
        {messages
          .filter(({ id }) => !id?.startsWith(unseen))
          .map((message, n) => (
            <Said
              key={message.id ?? n}
              message={message}
              isLoading={isLoading}
              branches={stream.getMessagesMetadata(message)?.branchOptions ?? []}
              branch={stream.getMessagesMetadata(message)?.branch ?? ''}
              onBranch={stream.setBranch}
              onEdit={(text) => edit(message, text)}
              onRefresh={() => refresh(message)}
            />
          ))}
        {value?.actionRequests && !isLoading ? (
          <Review
            key={JSON.stringify(value.actionRequests)}
            requests={value.actionRequests}
            onDecide={decide}
          />
        ) : null}
        {interrupt && !value?.actionRequests && !isLoading ? (
          <p role="status">The run stands at a breakpoint.</p>
        ) : null}
        {error && !isLoading ? (
          <p role="alert">{error instanceof Error ? error.message : JSON.stringify(error)}</p>
        ) : null}
        <Composer isLoading={isLoading} onSend={send} onStop={() => void stream.stop()} />
      </main>
    </>
  )
}

function Threads({
  current,
  isLoading,
  onOpen,
}: {
  current: string | null
  isLoading: boolean
  onOpen: (threadId: string | null) => void
}) {
  const [threads, setThreads] = useState<Thread<State>[]>([])
  useEffect(() => {
    let isGone = false
    const wish = { metadata: { graph_id: agent }, limit: 50 }
    void client.threads.search<State>(wish).then((found) => {
      if (!isGone) setThreads(found)
    })
    return () => {
      isGone = true
    }
  }, [current, isLoading])
  return (
    <nav aria-label="Threads">
      <button type="button" onClick={() => onOpen(null)}>
        New chat
      </button>
      {threads.map(({ thread_id, values }) => {
        const [first] = values?.messages ?? []
        return (
          <div key={thread_id}>
            <button type="button" onClick={() => onOpen(thread_id)}>
              {first ? textOf(first) : thread_id}
            </button>
          </div>
        )
      })}
    </nav>
  )
}

function Said({
  message,
  isLoading,
  branches,
  branch,
  onBranch,
  onEdit,
  onRefresh,
}: {
  message: Message
  isLoading: boolean
  branches: string[]
  branch: string
  onBranch: (branch: string) => void
  onEdit: (text: string) => void
  onRefresh: () => void
}) {
  const [draft, setDraft] = useState<string | null>(null)
  const at = branches.indexOf(branch)
  const older = branches[at - 1]
  if (draft !== null)
    return (
      <div>
        <textarea
          aria-label="Edit message"
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
        />
        <button
          type="button"
          onClick={() => {
            setDraft(null)
            onEdit(draft)
          }}
        >
          Save
        </button>
      </div>
    )
  return (
    <div>
      <article aria-label={message.type}>{textOf(message)}</article>
      {branches.length > 1 ? (
        <span>
          Version {at + 1} of {branches.length}
          <button
            type="button"
            disabled={older === undefined}
            onClick={() => onBranch(older ?? '')}
          >
            Older version
          </button>
        </span>
      ) : null}
      {message.type === 'human' && !isLoading ? (
        <button type="button" onClick={() => setDraft(textOf(message))}>
          Edit
        </button>
      ) : null}
      {message.type === 'ai' && textOf(message) !== '' && !isLoading ? (
        <button type="button" onClick={onRefresh}>
          Refresh
        </button>
      ) : null}
    </div>
  )
}

const root = document.querySelector('#root')
if (root) createRoot(root).render(<App />)
