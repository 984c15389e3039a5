/**
 * Schemas of answers, closed: a field that nobody declared is a mistake in a test, though clients must bear it. Open stays what
 * says so itself (`additionalProperties`).
 */
import { z } from 'zod'

const Node = z.record(z.string(), z.unknown())
const Nodes = z.array(z.unknown())
const components = '#/components/schemas/'
/** Where the closed components stand, beside the open ones. */
const closed = '#/components/closed/'

/** The document with a closed copy of its components, and the schemas of its responses closed. */
export function withClosedAnswers(document: object): object {
  const root = Node.parse(document)
  const schemas = Node.parse(Node.parse(root['components'])['schemas'])
  return {
    ...root,
    paths: mapped(root['paths'], (item) =>
      mapped(item, (operation) => {
        const { responses, ...rest } = Node.parse(operation)
        return { ...rest, responses: mapped(responses, closedResponse) }
      }),
    ),
    components: { schemas, closed: mapped(schemas, close) },
  }
}

const mapped = (of: unknown, make: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(Node.parse(of)).map(([key, value]) => [key, make(value)]))

function closedResponse(response: unknown): object {
  const { content, ...rest } = Node.parse(response)
  if (content === undefined) return rest
  const closedType = (type: unknown): object => {
    const { schema, ...more } = Node.parse(type)
    return { ...more, schema: close(schema) }
  }
  return { ...rest, content: mapped(content, closedType) }
}

/** `isPart`: of an `allOf`, which is closed as a whole, since each part knows only its own fields. */
function close(schema: unknown, isPart = false): unknown {
  const read = Node.safeParse(schema)
  if (!read.success) return schema
  const node = { ...read.data }
  const { $ref, allOf, properties, items, additionalProperties } = node
  if (typeof $ref === 'string' && !isPart) node['$ref'] = $ref.replace(components, closed)
  for (const key of ['anyOf', 'oneOf'] as const)
    if (node[key]) node[key] = Nodes.parse(node[key]).map((each) => close(each, isPart))
  if (allOf) node['allOf'] = Nodes.parse(allOf).map((each) => close(each, true))
  if (properties) node['properties'] = mapped(properties, (each) => close(each))
  if (items) node['items'] = close(items)
  if (additionalProperties) node['additionalProperties'] = close(additionalProperties)
  const isOpen = isPart || additionalProperties !== undefined || !(properties ?? allOf)
  return isOpen ? node : { ...node, unevaluatedProperties: false }
}
