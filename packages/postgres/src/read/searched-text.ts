/** A search for a text in events: it looks into what the catalogue of events names, by type. What was erased is not there. */
import { searchedPaths } from '@signalbox/core'
import { type RawBuilder, sql } from 'kysely'

const pathsOf = (paths: readonly string[]): RawBuilder<unknown> =>
  sql.join(
    paths.map((path) => sql`jsonb_path_query_array(e.payload, ${sql.lit(path)})`),
    sql` || `,
  )

/**
 * Does an event hold the text, in whatever case? Texts are compared as JSON writes them, so that a quote or a line break
 * in either is the same two characters, and nothing matches across two texts.
 */
export function holdsText(text: string): RawBuilder<boolean> {
  const cases = Object.entries(searchedPaths).map(
    ([type, paths]) => sql`when ${sql.lit(type)} then ${pathsOf(paths)}`,
  )
  const written = JSON.stringify(text).slice(1, -1)
  const searched = sql`coalesce(to_json(e.tool)::text, '') || coalesce((case e.type ${sql.join(cases, sql` `)} end)::text, '')`
  return isAscii(written)
    ? sql<boolean>`strpos(lower(${searched}), lower(${written})) > 0`
    : sql<boolean>`(${searched}) ~ ${inEitherCase(written)}`
}

const isAscii = (text: string): boolean => !/[^\p{ASCII}]/u.test(text)

/** The database may know the cases of ASCII letters only: with the locale C, which our own clusters have, it does. */
const inEitherCase = (text: string): string => Array.from(text, letterInEitherCase).join('')

function letterInEitherCase(letter: string): string {
  const cases = [letter.toLowerCase(), letter.toUpperCase()]
  const isLetter = cases[0] !== cases[1] && cases.every((each) => Array.from(each).length === 1)
  return isLetter ? `[${cases.join('')}]` : letter.replace(/[^\p{L}\p{N}\s]/u, '\\$&')
}
