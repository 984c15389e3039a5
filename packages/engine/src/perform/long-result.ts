/** What a call came to, as the run that asked for it keeps it: long results move to blobs of its thread. */
import { type ContentPart, limits } from '@signalbox/core'
import type { EffectRow } from '../ports.ts'
import type { Views } from '../record/view.ts'
import { type Content, previewChars } from './content.ts'
import { pointer, readResultTool } from './read-result.ts'

/** A long result goes to a blob; the agent is told how to read on, if it can. */
export async function keepResult(
  { content, views }: { readonly content: Content; readonly views: Pick<Views, 'definition'> },
  row: Pick<EffectRow, 'tenantId' | 'threadId' | 'definitionHash'>,
  parts: readonly ContentPart[],
): Promise<ContentPart[]> {
  const moved = await content.spill(row, parts, { chars: limits.resultCharsMax })
  const { tools } = await views.definition(row.definitionHash)
  if (!tools.some(({ name }) => name === readResultTool)) return moved
  return moved.map((part) =>
    part.type === 'blob'
      ? { ...part, preview: `${part.preview}\n${pointer(part.key, previewChars)}` }
      : part,
  )
}
