/** What a schema did not accept, as a problem that names the field and says what it takes. */
import type { Hook } from '@hono/zod-openapi'
import type { z } from 'zod'
import { fieldPath } from '../config/config-error.ts'
import type { ApiEnv } from './api.ts'
import { Problem } from './problem.ts'

const errorsMax = 20

type Issue = z.core.$ZodIssue

/** For every route: what its schemas did not accept is refused. */
export const onInvalid: Hook<unknown, ApiEnv, string, unknown> = (result) => {
  if (!result.success) throw invalidRequest(result.error.issues)
}

/** The first mistake decides the code, all are listed. */
export function invalidRequest(issues: readonly Issue[]): Problem {
  const mistakes = issues.flatMap((issue) => flatten(issue, []))
  const [first] = mistakes
  if (!first)
    return new Problem('invalid_request', { detail: 'The request is not as it should be.' })
  return new Problem(first.notAvailable ? 'not_available' : 'invalid_request', {
    detail: `${first.field || 'The body'}: ${first.message}`,
    field: first.field,
    more: {
      errors: mistakes.slice(0, errorsMax).map(({ field, message }) => ({ field, message })),
    },
  })
}

interface Mistake {
  readonly field: string
  readonly message: string
  readonly notAvailable: boolean
}

function flatten(issue: Issue, base: readonly PropertyKey[]): readonly Mistake[] {
  const path = [...base, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The way that got deepest is the one that was meant; without one, the union says what it takes.
    const ways = issue.errors.map((way) => way.flatMap((each) => flatten(each, path)))
    const deepest = ways.sort((a, b) => reach(b) - reach(a))[0] ?? []
    if (reach(deepest) > path.length + 0.5) return deepest
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: fieldPath([...path, key]),
      message: unknownField,
      notAvailable: false,
    }))
  const notAvailable = issue.code === 'custom' && issue.params?.['code'] === 'not_available'
  return [{ field: fieldPath(path), message: issue.message, notAvailable }]
}

const unknownField = 'there is no such field here'

const depth = ({ field }: Mistake): number =>
  field === '' ? 0 : field.split('.').length + (field.match(/\[/g)?.length ?? 0)

/** How far a way got; a field that is not there at all is worth less than one that is wrong, and one that is too much got no further than its object. */
const reach = (way: readonly Mistake[]): number =>
  Math.max(0, ...way.map((each) => depth(each) - missed(each)))

function missed({ message }: Mistake): number {
  if (message === unknownField) return 1
  return message.endsWith('undefined') ? 0.5 : 0
}
