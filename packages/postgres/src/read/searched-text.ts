/**
 * The texts of events that a search looks into, by type: what was said, what was asked of tools and answered, and why
 * something was denied, stopped or answered by a human. Never what is not shown to everybody who watches a run: a
 * provider's own words in its errors are left out, and what was erased is not there.
 */
import { type RawBuilder, sql } from 'kysely'

const content = (where: string) => [`${where}[*].text`, `${where}[*].preview`]
const ofTrip = '$.trip ? (@.partType != "error").feedback'
const part = '$.turn.message.parts[*]'

/** JSON paths of `jsonb_path_query_array` into the payload. */
const searchedPaths: Readonly<Record<string, readonly string[]>> = {
  'run.created': content('$.input[*].parts'),
  'input.injected': content('$.messages[*].parts'),
  'model.completed': [
    `${part} ? (@.type == "text").text`,
    `${part} ? (@.type == "blob").preview`,
    `${part} ? (@.type == "tool_call").name`,
    `${part} ? (@.type == "tool_call").args`,
  ],
  'model.retried': ['$.class', '$ ? (@.class == "empty_answer").message'],
  'model.replaced': ['$.class', '$ ? (@.class == "empty_answer").message'],
  'tool.completed': content('$.output.content'),
  'tool.failed': ['$.error.code', '$.error.message'],
  'tool.denied': ['$.answer.reasons[*].code', '$.answer.reasons[*].message'],
  'tool.resolved': ['$.note', ...content('$.output.content')],
  'tool.late': ['$.error', ...content('$.output.content')],
  'child.ended': content('$.output.content'),
  'input.answered': content('$.output.content'),
  'approval.requested': ['$.reason'],
  'approval.answered': ['$.note', '$.edited.args'],
  'call.denied': ['$.code', '$.message', '$.reasons[*].code', '$.reasons[*].message'],
  'policy.warned': ['$.code', '$.message', '$.reasons[*].code', '$.reasons[*].message'],
  'policy.faulted': ['$.message'],
  'safety.suppressed': ['$.explanation', '$.evidence[*].value', '$.calls[*].name'],
  'turn.cut': ['$.explanation', '$.calls[*].name'],
  'guardrail.tripped': ['$.trip.guardrail.name', ofTrip],
  'guardrail.redacted': ['$.guardrail.name', '$.kind'],
  'guardrail.stopped': ['$.trip.guardrail.name', ofTrip],
  'answer.missing': ['$.text'],
  'rerun.stopped': ['$.text'],
  'approval.skipped': ['$.reason'],
  'loop.warned': ['$.text', '$.tools[*]'],
  'loop.stopped': ['$.text', '$.tools[*]'],
  'cancel.requested': ['$.reason'],
  'run.faulted': ['$.code', '$.message'],
  'payload.erased': ['$.reason'],
}

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
