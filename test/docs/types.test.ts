/** The types of every TypeScript block. Would catch: an example that runs by chance, and an export that is missing. */
import { expect, it } from 'vitest'
import { readPages } from './pages.ts'
import { typeErrors } from './type-check.ts'

it('every ts block type-checks', async () => {
  const { blocks, errors } = await typeErrors(readPages())
  expect(errors).toBe('')
  expect(blocks).toBeGreaterThanOrEqual(6)
}, 180_000)
