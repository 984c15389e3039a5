/** What a page shows where a run waits for a human: each call with its buttons. They are sent once every call has its decision. */
import { useState } from 'react'

export interface ReviewRequest {
  name: string
  args: Record<string, unknown>
  description?: string
}

export type Decision =
  | { type: 'approve' }
  | { type: 'edit'; edited_action: { name: string; args: unknown } }
  | { type: 'reject'; message?: string }

export function Review({
  requests,
  onDecide,
}: {
  requests: ReviewRequest[]
  onDecide: (decisions: Decision[]) => void
}) {
  const [decided, setDecided] = useState<ReadonlyMap<number, Decision>>(new Map())
  const decide = (n: number, decision: Decision) => {
    const now = new Map(decided).set(n, decision)
    setDecided(now)
    const all = requests.flatMap((_, each) => now.get(each) ?? [])
    if (all.length === requests.length) onDecide(all)
  }
  return (
    <section aria-label="Approval">
      {requests.map((request, n) => (
        <Call
          key={`${request.name} ${n}`}
          request={request}
          decided={decided.get(n)?.type}
          onDecide={(decision) => decide(n, decision)}
        />
      ))}
    </section>
  )
}

function Call({
  request,
  decided,
  onDecide,
}: {
  request: ReviewRequest
  decided: string | undefined
  onDecide: (decision: Decision) => void
}) {
  const { name, args, description } = request
  const [draft, setDraft] = useState(JSON.stringify(args))
  const [words, setWords] = useState('')
  return (
    <fieldset aria-label={`${name} ${JSON.stringify(args)}`}>
      <legend>May {name} be executed?</legend>
      <p>{description}</p>
      <textarea
        aria-label="Arguments"
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
      />
      <input aria-label="Reason" value={words} onChange={({ target }) => setWords(target.value)} />
      <button type="button" onClick={() => onDecide({ type: 'approve' })}>
        Approve
      </button>
      <button
        type="button"
        onClick={() => {
          const changed: unknown = JSON.parse(draft)
          onDecide({ type: 'edit', edited_action: { name, args: changed } })
        }}
      >
        Approve changes
      </button>
      <button
        type="button"
        onClick={() => onDecide({ type: 'reject', ...(words === '' ? {} : { message: words }) })}
      >
        Reject
      </button>
      {decided === undefined ? null : <em>{decided}</em>}
    </fieldset>
  )
}
