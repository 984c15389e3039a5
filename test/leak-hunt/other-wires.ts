/** The wires beside LangGraph's, as their clients ask: a run of an agent, and its stream to the end. */
import { randomUUID } from 'node:crypto'

export const otherWires = ['a2a', 'ag-ui', 'ai-sdk'] as const
export type OtherWire = (typeof otherWires)[number]

const words = 'Write it down.'

function requestOn(wire: OtherWire, agent: string): readonly [path: string, body: object] {
  const id = randomUUID()
  switch (wire) {
    case 'a2a': {
      const message = { messageId: id, role: 'ROLE_USER', parts: [{ text: words }] }
      return [`/a2a/${agent}/message:stream`, { message }]
    }
    case 'ag-ui': {
      const messages = [{ id, role: 'user', content: words }]
      return [`/ag-ui/${agent}`, { threadId: randomUUID(), runId: id, messages }]
    }
    case 'ai-sdk': {
      const messages = [{ id, role: 'user', parts: [{ type: 'text', text: words }] }]
      return [`/chat/${agent}`, { id: randomUUID(), messages }]
    }
  }
}

/** Starts a run. Answers its stream, and behind it all its texts in one piece: a word may be split. */
export async function streamOn(api: string, wire: OtherWire, agent: string): Promise<Buffer> {
  const [path, body] = requestOn(wire, agent)
  const response = await fetch(`${api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.ok || !isStream) throw new Error(`${wire}, ${agent}: ${text}`)
  const frames = text.split('\n').filter((line) => line.startsWith('data: {'))
  const said = frames.flatMap((line) => textsOf(JSON.parse(line.slice('data: '.length))))
  return Buffer.from(`${text}\n${said.join('')}`)
}

/** Where A2A lists the runs of an agent, whoever started them. */
export const tasksOf = (agent: string): string =>
  `/a2a/${agent}/tasks?includeArtifacts=true&historyLength=100`

export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
