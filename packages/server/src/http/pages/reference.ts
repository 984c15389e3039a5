/** The page at `/docs`: every operation of the OpenAPI document, by its tag, with what it takes, what it answers, and a line to type. */
import { z } from 'zod'
import { curlLine } from './curl.ts'
import { type Html, html } from './html.ts'
import { pageText } from './page.ts'
import { Schema, schemaLines, schemaWords } from './schema-words.ts'

const Media = z.looseObject({ schema: Schema.optional(), example: z.unknown().optional() })
const Content = z.record(z.string(), Media)
const Parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  example: z.unknown().optional(),
  schema: Schema.optional(),
})
const Operation = z.looseObject({
  tags: z.array(z.string()).default(['Other']),
  operationId: z.string().optional(),
  summary: z.string().default(''),
  description: z.string().optional(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.looseObject({ required: z.boolean().default(false), content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string().default(''), content: Content.default({}) }),
  ),
})
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), Schema).default({}) }),
})

/** An operation as it is shown. */
interface Shown extends z.infer<typeof Operation> {
  readonly id: string
  readonly method: string
  readonly path: string
}

/** The page. */
export function referencePage(document: object): string {
  const { paths, components } = Document.parse(document)
  const shown = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Shown => {
      const id = operation.operationId ?? `${method}-${path}`
      return { ...operation, id, method: method.toUpperCase(), path }
    }),
  )
  const byTag = Map.groupBy(shown, ({ tags }) => tags[0] ?? 'Other')
  const schemas = Object.entries(components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return pageText(
    'Signalbox: API',
    html`<h1>The API of Signalbox</h1>
      <p>
        Every operation, made of what validates the requests. The same for programs:
        <a href="/openapi.json">/openapi.json</a>. Where a key is asked for, a request shows it as
        <code>Authorization: Bearer &lt;key&gt;</code>. Every refusal is a
        <a href="#schema-Problem">problem document</a> with a stable <code>code</code>.
      </p>
      <nav>
        ${[...byTag.keys()].map((tag) => html`<a href="#${anchor(tag)}">${tag}</a>`)}<a
          href="#schemas"
          >Schemas</a
        >
      </nav>
      ${[...byTag].map(
        ([tag, operations]) =>
          html`<section>
            <h2 id="${anchor(tag)}">${tag}</h2>
            ${operations.map(operationPart)}
          </section> `,
      )}
      <section>
        <h2 id="schemas">Schemas</h2>
        ${schemas.map(schemaPart)}
      </section>`,
  )
}

const anchor = (text: string): string => `tag-${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

const operationPart = (operation: Shown): Html => {
  const { id, method, path, summary, description, parameters, requestBody } = operation
  return html`<details id="${id}">
    <summary>
      <span class="method">${method}</span> <code>${path}</code>
      <span class="soft">${summary}</span>
    </summary>
    <p>
      ${description ?? summary}. <span class="soft">operationId <code>${id}</code></span>
    </p>
    <h3>Type</h3>
    <pre>${curlLine(operation)}</pre>
    ${parameters.length === 0 ? '' : parameterTable(parameters)}
    ${
      requestBody === undefined
        ? ''
        : html`<h3>Body</h3>
            ${contentPart(requestBody.content)}`
    }
    <h3>Answers</h3>
    ${Object.entries(operation.responses).map(
      ([status, { description: said, content }]) =>
        html`<p><code>${status}</code> ${said}</p>
          ${contentPart(content)}`,
    )}
  </details> `
}

const parameterTable = (parameters: Shown['parameters']): Html =>
  html`<h3>Parameters</h3>
    <table>
      <tr>
        <th>name</th>
        <th>in</th>
        <th>takes</th>
        <th></th>
      </tr>
      ${parameters.map(
        ({ name, in: place, required, description, schema }) =>
          html`<tr>
            <td><code>${name}</code>${required ? '' : ' ?'}</td>
            <td>${place}</td>
            <td>${schemaWords(schema)}</td>
            <td>${description ?? describedBy(schema)}</td>
          </tr> `,
      )}
    </table>`

const describedBy = (schema: Schema | undefined): string =>
  typeof schema?.['description'] === 'string' ? schema['description'] : ''

const contentPart = (content: z.infer<typeof Content>): readonly Html[] =>
  Object.entries(content)
    // Told once, at the top of the page.
    .filter(([type]) => type !== 'application/problem+json')
    .map(
      ([type, { schema, example }]) =>
        html`<p><code>${type}</code> ${schemaWords(schema)}</p>
          ${fieldPart(schema)}
          ${
            example === undefined
              ? ''
              : html`<details>
                  <summary>Example</summary>
                  <pre>${exampleText(example)}</pre>
                </details>`
          }`,
    )

const fieldPart = (schema: Schema | undefined): Html => {
  const lines = schemaLines(schema)
  return lines.length === 0
    ? html``
    : html`<ul>
        ${lines}
      </ul>`
}

const exampleText = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2)

const schemaPart = ([name, schema]: readonly [string, Schema]): Html =>
  html`<details id="schema-${name}">
    <summary><code>${name}</code></summary>
    <p>${describedBy(schema)}</p>
    <p>${schemaWords(schema)}</p>
    ${fieldPart(schema)}
  </details> `
