/** The page at `/`: what this is, how it is, which agents there are, where to go on, and what to type. */
import { z } from '@hono/zod-openapi'
import { type Html, html } from './html.ts'
import { pageText } from './page.ts'

const HomeAgent = z
  .object({
    name: z.string(),
    model: z.string(),
    tools: z.array(z.string()),
  })
  .openapi('HomeAgent')

/** What the page says, for programs. */
export const Home = z
  .object({
    name: z.literal('Signalbox'),
    /** Can this process do all of its work? */
    ready: z.boolean(),
    /** This and `agents` are left out where a key is asked for and none was shown. */
    version: z.string().optional(),
    agents: z.array(HomeAgent).optional(),
    /** Where to go on, by name. */
    links: z.record(z.string(), z.string()),
    /** What to type, by what it does. */
    commands: z.record(z.string(), z.string()),
  })
  .openapi('Home')
export type Home = z.infer<typeof Home>

/** Where to go on. */
export const homeLinks: Readonly<Record<string, string>> = {
  reference: '/docs',
  openapi: '/openapi.json',
  health: '/ready',
  info: '/info',
  metrics: '/metrics',
}

const whatLinksAre: Readonly<Record<string, string>> = {
  reference: 'the reference of the API: every operation, with examples',
  openapi: 'the same as an OpenAPI 3.1 document',
  health: 'can this process do all of its work, and what is missing',
  info: 'version and roles',
  metrics: 'metrics for Prometheus',
}

const agentsMax = 50

/** The page as HTML. */
export function homePage(home: Home): string {
  const { ready, version, agents } = home
  const state = ready
    ? html`<span class="good">ready</span>`
    : html`<span class="bad">not ready</span>`
  return pageText(
    'Signalbox',
    html`<h1>Signalbox</h1>
      <p>
        Runs LLM agents that call real tools, and keeps a log that proves what happened.
        <span class="soft">${version === undefined ? '' : `Version ${version}.`}</span>
      </p>
      <p>${state} <a href="/ready">details</a></p>
      ${agents === undefined ? asksForKey : agentSection(agents)}
      <h2>Where to go on</h2>
      <ul>
        ${Object.entries(home.links).map(
          ([name, href]) => html` <li><a href="${href}">${href}</a> ${whatLinksAre[name]}</li>`,
        )}
      </ul>
      <h2>What to type</h2>
      ${Object.entries(home.commands).map(
        ([what, command]) =>
          html`<h3>${what}</h3>
            <pre>${command}</pre>`,
      )}`,
  )
}

const asksForKey = html`<p>
  This server asks for a key: <code>Authorization: Bearer &lt;key&gt;</code>. What it serves is
  shown to whoever has one.
</p>`

const agentSection = (agents: NonNullable<Home['agents']>): Html =>
  html`<h2>Agents</h2>
    <table>
      <tr>
        <th>agent</th>
        <th>model</th>
        <th>tools</th>
      </tr>
      ${agents.slice(0, agentsMax).map(
        ({ name, model, tools }) =>
          html`<tr>
            <td><code>${name}</code></td>
            <td>${model}</td>
            <td>${tools.join(', ') || 'none'}</td>
          </tr> `,
      )}
    </table>
    ${agents.length > agentsMax ? html`<p>and ${agents.length - agentsMax} more: <a href="/assistants">/assistants</a></p>` : ''}`

/** What to type, for a server at this address. */
export function homeCommands(
  origin: string,
  { agent, withKey }: { readonly agent: string; readonly withKey: boolean },
): Home['commands'] {
  const key = withKey ? ' -H "authorization: Bearer $SIGNALBOX_API_KEY"' : ''
  const body = JSON.stringify({ assistant_id: agent, input: 'Hello.' })
  return {
    'Run an agent, and wait for it': `curl -s ${origin}/runs/wait${key} -H 'content-type: application/json' \\\n  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
    'Run it from a terminal': `npx signalbox run "Hello." --agent ${agent} --url ${origin}`,
    'Follow the log': `npx signalbox events --follow --url ${origin}`,
  }
}
