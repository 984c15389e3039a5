/**
 * Edits of a conversation: runs that ask no model. Would catch: an edit that asks one, one that cannot be cancelled while it
 * waits, an answer that somebody wrote as the first word of a request.
 */
import { describe, expect, test } from 'vitest'
import { type EditMessage, type FactPayload, persist } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { admitted, cancels, created, type Move } from './support/facts.ts'
import { answered, asked, event, said, text } from './support/log.ts'
import { promptOf } from './support/prompt.ts'
import { given } from './support/story.ts'
import { reviveState } from './support/machine.ts'

const payload = (messages: readonly EditMessage[]): FactPayload<'run.created'> => ({
  agent: 'a',
  definitionHash: 'h',
  machine: 'run',
  machineVersion: 1,
  input: [],
  metadata: {},
  edit: { messages: [...messages] },
})
const message = (role: EditMessage['role'], content: string): EditMessage => ({
  id: `e_${content}`,
  role,
  parts: [{ type: 'text', text: content }],
})
const edits: Move = () => ({ type: 'run.created', payload: payload([message('user', 'x')]) })

describe('an edit', () => {
  test('ends when it is admitted, and asks for nothing', () => {
    given(agentWith())
      .when(edits, admitted)
      .gives({ state: 'completed', path: ['queued', 'completed'], outcome: 'completed' })
  })

  test('waits for its turn, remembered as it is, and can be cancelled', () => {
    const waiting = given(agentWith(), edits)
    expect(waiting.state.name).toBe('queued')
    expect(reviveState(persist(waiting.state))).toEqual(waiting.state)
    waiting
      .when(admitted)
      .gives({ state: 'completed', path: ['queued', 'completed'], outcome: 'completed' })
    given(agentWith(), edits)
      .when(cancels())
      .gives({
        state: 'cancelled',
        path: ['queued', 'cancelling', 'cancelled'],
        outcome: 'cancelled',
      })
  })

  test('is nothing that another run becomes', () => {
    expect(given(agentWith(), created).and(admitted).state.name).toBe('model')
  })
})

const edit = (...messages: readonly EditMessage[]) => event('run.created', payload(messages))

describe('the model reads what an edit says', () => {
  test('in its place, by whom it is', () => {
    const spoken = [message('system', 'be kind'), message('assistant', 'gladly')]
    expect(
      promptOf([said(['hello']), answered('m1', [text('hi')]), edit(...spoken), said(['so?'])]),
    ).toEqual(['user: hello', 'assistant: hi', 'user: be kind', 'assistant: gladly', 'user: so?'])
  })

  test('never as the first word, and never blank', () => {
    const spoken = [message('assistant', 'welcome'), message('user', ' ')]
    expect(promptOf([edit(...spoken), said(['hello'])])).toEqual([
      'user: (no input)',
      'assistant: welcome',
      'user: hello',
    ])
  })

  test('behind a result for every call that was open (I24)', () => {
    const prompt = promptOf([
      said(['hello']),
      answered('m1', [asked('a')]),
      edit(message('assistant', 'never mind')),
      said(['so?']),
    ])
    expect(prompt[2]).toMatch(/^error a search/)
    expect(prompt.slice(3)).toEqual(['assistant: never mind', 'user: so?'])
  })

  test('and nothing of one that only went back', () => {
    expect(promptOf([said(['hello']), edit(), said(['so?'])])).toEqual(['user: hello|so?'])
  })
})
