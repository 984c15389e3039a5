import type { NotFoundHandler } from 'hono'
import { suggestion } from '../config/nearest.ts'
import type { ApiEnv } from './api.ts'
import { problemResponse } from './problem.ts'

/** Tells an address that is not there from one that takes another method. `where` says what there is instead. */
export function notFound(
  pathsOf: () => Readonly<Record<string, object>>,
  where = ' See /openapi.json.',
): NotFoundHandler<ApiEnv> {
  let known: readonly Known[] | null = null
  return (c) => {
    known ??= Object.entries(pathsOf()).map(knownOf)
    const here = known.filter(({ pattern }) => pattern.test(c.req.path))
    const methods = [...new Set(here.flatMap((each) => each.methods))]
    if (methods.length > 0)
      return problemResponse('method_not_allowed', {
        detail: `${c.req.path} takes ${methods.join(' and ')}, not ${c.req.method}.`,
        headers: { allow: methods.join(', ') },
      })
    const near = suggestion(
      c.req.path,
      // The page at the root is near to every short address.
      known.map(({ path }) => path).filter((path) => path !== '/'),
    )
    const hint = near.startsWith(' Did') ? near : where
    return problemResponse('not_found', { detail: `There is nothing at this address.${hint}` })
  }
}

interface Known {
  readonly path: string
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

/** The characters of a file's path, which has slashes, and those of other names. */
const partOf = (name: string): string => (name === '{path}' ? '[^]+' : '[^/]+')

const knownOf = ([path, item]: readonly [string, object]): Known => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, partOf)}$`),
  methods: Object.keys(item).map((method) => method.toUpperCase()),
})
