/** What a stream says as text and as reasoning, read from its frames: what is kept of a cut stream begins it. */
import type { Wire } from '../../packages/models/src/observer/wires.ts'
import { fields, type Fields, list, text } from '../../packages/models/src/read.ts'
import type { Frame } from './frames.ts'

export interface Said {
  readonly text: string
  readonly reasoning: string
}

export function saidBy(wire: Wire, frames: readonly Frame[]): Said {
  const pieces = frames.flatMap(({ event }) =>
    event === null || event === 'done' ? [] : piecesOf(wire, event),
  )
  return {
    text: pieces.map(([said]) => said ?? '').join(''),
    reasoning: pieces.map(([, thought]) => thought ?? '').join(''),
  }
}

type Piece = readonly [said: string | undefined, thought?: string | undefined]

function piecesOf(wire: Wire, event: Fields): readonly Piece[] {
  switch (wire) {
    case 'chat':
      return list(event['choices']).map((choice): Piece => {
        const delta = fields(fields(choice)?.['delta'])
        return [
          text(delta?.['content']) ?? text(delta?.['refusal']),
          text(delta?.['reasoning_content']),
        ]
      })
    case 'messages': {
      const delta = fields(event['delta'])
      return [[text(delta?.['text']), text(delta?.['thinking'])]]
    }
    case 'gemini':
      return list(event['candidates']).flatMap((candidate) =>
        list(fields(fields(candidate)?.['content'])?.['parts']).map((part): Piece => {
          const said = text(fields(part)?.['text'])
          return fields(part)?.['thought'] === true ? [undefined, said] : [said]
        }),
      )
    case 'responses':
      return event['type'] === 'response.output_text.delta' ? [[text(event['delta'])]] : []
    case 'converse':
      return [[text(fields(fields(event['contentBlockDelta'])?.['delta'])?.['text'])]]
  }
}
