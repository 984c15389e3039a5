/** Expressions of PromQL, read with Prometheus' own grammar: do they parse, and is there all that they name? */
import { parser } from '@prometheus-io/lezer-promql'

/** What is wrong with an expression; empty if nothing is. `known` has the labels of each metric. */
export function mistakesIn(
  expression: string,
  known: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  // Grafana puts a duration there.
  const text = expression.replaceAll('$__rate_interval', '5m')
  const mistakes: string[] = []
  const grouped: string[] = []
  const ofAll = new Set<string>()
  let [metric, inGroup] = ['', false]
  parser.parse(text).iterate({
    enter(node) {
      const here = text.slice(node.from, node.to)
      if (node.type.isError) mistakes.push(`does not parse at "${text.slice(node.from)}"`)
      if (node.name === 'GroupingLabels') inGroup = true
      if (node.name === 'Identifier') {
        metric = here
        if (!known.has(metric)) mistakes.push(`there is no metric ${metric}`)
        for (const label of known.get(metric) ?? []) ofAll.add(label)
      }
      if (node.name !== 'LabelName') return
      if (inGroup) grouped.push(here)
      else if (known.has(metric) && !known.get(metric)?.includes(here))
        mistakes.push(`${metric} has no label ${here}`)
    },
    leave(node) {
      if (node.name === 'GroupingLabels') inGroup = false
    },
  })
  if (ofAll.size === 0) mistakes.push('names no metric')
  return [
    ...mistakes,
    ...grouped
      .filter((label) => !ofAll.has(label))
      .map((label) => `nothing has the label ${label}`),
  ]
}
