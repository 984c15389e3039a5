/** Wrong configurations as people write them, and what must be said of each. */

/** Files by name, and the sentence. A name that ends with a slash is a folder. */
export interface Mistake {
  readonly name: string
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly says: RegExp
  /** Default: `config_invalid`. */
  readonly code?: string
}

/** A key that somebody wrote into a file: it must stand in no message. */
export const secret = 'sk-proj-geheim0123456789'

const head = `import { defineConfig, defineTool, z } from 'signalbox'`
const model = `model: { provider: 'scripted', model: 'm' }`
const scripts = `scripts: { m: () => ({}) }`
const tool = (name: string, more = ''): string =>
  `defineTool({ name: '${name}', description: 'd', input: z.object({}), run: () => '', ${more} })`

/** A configuration in TypeScript with an agent `a`. */
const ts = ({ agent = '', rest = '', before = '' }): Mistake['files'] => ({
  'signalbox.config.ts': `${head}
${before}
export default defineConfig({
  agents: { a: { ${model}, ${agent} } },
  ${scripts},
  ${rest}
})
`,
})

const json = (text: string): Mistake['files'] => ({ 'signalbox.config.json': text })
const withModel = (more: string): Mistake['files'] =>
  json(`{ "agents": { "a": { "model": { "provider": "openai", "model": "m", ${more} } } } }`)

const tools: readonly Mistake[] = [
  {
    name: 'a title by a model that the agent does not have',
    files: ts({ agent: `title: { model: 'n' }` }),
    says: /agents\.a\.title\.model: "n" is none of the models of the agent; it takes the name of `model` or of one of `fallbackModels`/,
  },
  {
    name: 'two tools of one name',
    files: ts({ rest: `tools: [${tool('pay')}, ${tool('pay')}]` }),
    says: /signalbox\.config\.ts: tools\[1\]: there is a tool of the name "pay" already, tools\[0\]; rename either/,
  },
  {
    name: 'a tool with the name of a built-in one',
    files: ts({ rest: `tools: [${tool('read_file')}]` }),
    says: /signalbox\.config\.ts: tools\[0\]: "read_file" is the name of a built-in tool/,
  },
  {
    name: 'a tool with the name of that of the sandbox, beside one',
    files: ts({ rest: `tools: [${tool('bash')}], sandbox: {}` }),
    says: /tools\[0\]: "bash" is the name of the tool of the sandbox/,
  },
  {
    name: 'a sandbox that there is not',
    files: ts({ rest: `sandbox: { use: 'bublewrap' }` }),
    says: /sandbox\.use: takes one of virtual, bubblewrap; "bublewrap" is none of them\. Did you mean "bubblewrap"\?/,
  },
  {
    name: 'a key of the limits that is misspelt',
    code: 'config_unknown_key',
    files: ts({ rest: `sandbox: { limits: { wallMS: 1000 } }` }),
    says: /sandbox\.limits\.wallMS: there is no key "wallMS" here\. Did you mean "wallMs"\?/,
  },
  {
    name: 'a date in the input of a tool',
    code: 'config_unreadable',
    files: ts({
      before: `const pay = defineTool({ name: 'pay', description: 'd', run: () => '',
  input: z.object({ amount: z.number(), due: z.object({ when: z.date() }) }),
})`,
      rest: 'tools: [pay]',
    }),
    says: /^signalbox\.config\.ts:2: Tool "pay": input\.due\.when: z\.date\(\) has no form in JSON.*z\.iso\.datetime\(\)/,
  },
  {
    name: 'a set in a list in the input of a tool',
    code: 'config_unreadable',
    files: ts({
      rest: `tools: [${tool('pay', 'input: z.object({ rows: z.array(z.set(z.string())) })')}]`,
    }),
    says: /^signalbox\.config\.ts:6: Tool "pay": input\.rows\[\]: z\.set\(\) .*z\.array\(\)/,
  },
  {
    name: 'a tool that does nothing',
    code: 'config_unreadable',
    files: ts({ rest: `tools: [${tool('pay', 'run: undefined')}]` }),
    says: /^signalbox\.config\.ts:6: Tool "pay": run: takes a function/,
  },
  {
    name: 'a tool whose input is no object',
    code: 'config_unreadable',
    files: ts({ rest: `tools: [${tool('pay', 'input: z.string()')}]` }),
    says: /^signalbox\.config\.ts:6: Tool "pay": input: takes z\.object\(/,
  },
  {
    name: 'a tool with a blank in its name',
    code: 'config_unreadable',
    files: ts({ rest: `tools: [${tool('pay bill')}]` }),
    says: /^signalbox\.config\.ts:6: Tool "pay bill": name: takes 1 to 64 of a-z A-Z 0-9 _ -/,
  },
  {
    name: 'a tool with a strange effect',
    code: 'config_unreadable',
    files: ts({ rest: `tools: [${tool('pay', `effect: 'twice'`)}]` }),
    says: /^signalbox\.config\.ts:6: Tool "pay": effect: takes one of .*"once"/,
  },
  {
    name: 'a tool that is only an object',
    files: ts({ rest: `tools: [{ name: 'pay', run: () => '' }]` }),
    says: /^signalbox\.config\.ts: tools\[0\]: a tool is made with defineTool\(/,
  },
  {
    name: 'tools by name in the place of a list',
    files: ts({ rest: `tools: { pay: ${tool('pay')} }` }),
    says: /^signalbox\.config\.ts: tools: takes a list, not an object/,
  },
]

const loading: readonly Mistake[] = [
  {
    name: 'a file of tools that throws',
    code: 'config_unreadable',
    files: {
      ...ts({ before: `import { table } from './tools.ts'`, rest: `queues: table` }),
      'tools.ts': `export const table = {}\n\nthrow new Error('no table of prices')\n`,
    },
    says: /^tools\.ts:3: it throws while it is loaded: no table of prices$/,
  },
  {
    name: 'a configuration that throws',
    code: 'config_unreadable',
    files: ts({ before: `const price: { eur: number } = JSON.parse('null')\nprice.eur.toFixed()` }),
    says: /^signalbox\.config\.ts:3: it throws while it is loaded: Cannot read properties of null/,
  },
  {
    name: 'a configuration that reads no JSON',
    code: 'config_unreadable',
    files: ts({ before: `\nJSON.parse('{ prices: 1 }')` }),
    says: /^signalbox\.config\.ts:3: it throws while it is loaded: /,
  },
  {
    name: 'a configuration that throws a text',
    code: 'config_unreadable',
    files: ts({ before: `throw 'no price'` }),
    says: /^signalbox\.config\.ts: it throws while it is loaded: no price$/,
  },
  {
    name: 'a mistake in the syntax of TypeScript',
    code: 'config_unreadable',
    files: ts({ before: `const price = { eur: 1\nconst other = 2` }),
    says: /^signalbox\.config\.ts:3: it cannot be read: /,
  },
  {
    name: 'a mistake in the syntax of JavaScript',
    code: 'config_unreadable',
    files: { 'signalbox.config.mjs': `const one = 1\nconst two = ;\nexport default {}\n` },
    says: /^signalbox\.config\.mjs:2: it cannot be read: Unexpected token ';'$/,
  },
  {
    name: 'a mistake in the syntax of an imported file',
    code: 'config_unreadable',
    files: {
      'signalbox.config.mjs': `import './prices.mjs'\nexport default {}\n`,
      'prices.mjs': `export const one = 1\n\nexport const two = (\n`,
    },
    says: /^prices\.mjs:\d: it cannot be read: /,
  },
  {
    name: 'a name that is given twice',
    code: 'config_unreadable',
    files: ts({ before: `const price: number = 1\nconst price: number = 2` }),
    says: /^signalbox\.config\.ts:3: it cannot be read: Identifier 'price' has already been declared$/,
  },
  {
    name: 'an enum of TypeScript',
    code: 'config_unreadable',
    files: ts({ before: `\nenum Colour { red, green }` }),
    says: /^signalbox\.config\.ts:3: Node\.js runs TypeScript by leaving the types out.*an enum.*as const/,
  },
  {
    name: 'a parameter property of TypeScript',
    code: 'config_unreadable',
    files: ts({ before: `class Price {\n  constructor(readonly eur: number) {}\n}` }),
    says: /^signalbox\.config\.ts:3: Node\.js runs TypeScript.*a parameter property/,
  },
  {
    name: 'an import without its ending',
    code: 'config_unreadable',
    files: {
      ...ts({ before: `import { pay } from './tools'`, rest: 'tools: [pay]' }),
      'tools.ts': `export const pay = 1\n`,
    },
    says: /^signalbox\.config\.ts:2: it imports \.\/tools, which is not there\..* Did you mean \.\/tools\.ts\?$/,
  },
  {
    name: 'an import with the ending of what is compiled',
    code: 'config_unreadable',
    files: {
      ...ts({ before: `import { pay } from './lib/tools.js'`, rest: 'tools: [pay]' }),
      'lib/tools.ts': `export const pay = 1\n`,
    },
    says: /^signalbox\.config\.ts:2: it imports \.\/lib\/tools\.js.* Did you mean \.\/lib\/tools\.ts\?$/,
  },
  {
    name: 'an import of a folder',
    code: 'config_unreadable',
    files: {
      ...ts({ before: `import { pay } from './tools'`, rest: 'tools: [pay]' }),
      'tools/index.ts': `export const pay = 1\n`,
    },
    says: /^signalbox\.config\.ts:2: it imports \.\/tools.* Did you mean \.\/tools\/index\.ts\?$/,
  },
  {
    name: 'a package that is not installed',
    code: 'config_unreadable',
    files: ts({ before: `import { chunk } from '@acme/lodash/chunk'\nchunk()` }),
    says: /^signalbox\.config\.ts:2: it imports the package "@acme\/lodash", which is not installed here\. Type: npm install @acme\/lodash$/,
  },
  {
    name: 'a module that Node does not have',
    code: 'config_unreadable',
    files: ts({ before: `import 'node:sqlight'` }),
    says: /^signalbox\.config\.ts:2: it imports node:sqlight, which is no module of Node\.js v\d/,
  },
  {
    name: 'a name that a file does not export',
    code: 'config_unreadable',
    files: {
      ...ts({ before: `import { pya } from './tools.ts'`, rest: 'tools: [pya]' }),
      'tools.ts': `export const pay = 1\n`,
    },
    says: /^signalbox\.config\.ts:2: it imports from \.\/tools\.ts, which exports no "pya"\. Did you mean "pay"\?$/,
  },
  {
    name: 'a type that is imported as a value',
    code: 'config_unreadable',
    files: ts({
      before: `import { ConfigInput } from 'signalbox'\nexport const c: ConfigInput | null = null`,
    }),
    says: /^signalbox\.config\.ts:2: it imports from signalbox, which exports no "ConfigInput"\. A type is imported with "import type"\.$/,
  },
  {
    name: 'two files that import each other',
    code: 'config_unreadable',
    files: {
      ...ts({
        before: `import { pay } from './tools.ts'\nexport const prefix = 'eu'`,
        rest: 'tools: [pay]',
      }),
      'tools.ts': `import { prefix } from './signalbox.config.ts'\nexport const pay = prefix.length\n`,
    },
    says: /^tools\.ts:2: "prefix" is used before it is there, since tools\.ts and signalbox\.config\.ts import each other; move/,
  },
  {
    name: 'a value that is used above its line',
    code: 'config_unreadable',
    files: ts({ before: `const pay = price\nconst price = 1\nexport { pay }` }),
    says: /^signalbox\.config\.ts:2: "price" is used above the line that makes it$/,
  },
  {
    name: 'a require in a module',
    code: 'config_unreadable',
    files: ts({ before: `const fs = require('node:fs')\nexport { fs }` }),
    says: /^signalbox\.config\.ts:2: require is not there in a module: take import$/,
  },
  {
    name: 'a file of JSON that is imported like a module',
    code: 'config_unreadable',
    files: {
      ...ts({ before: `import prices from './prices.json'\nexport { prices }` }),
      'prices.json': '{}',
    },
    says: /signalbox\.config\.ts.*with \{ type: 'json' \}/,
  },
  {
    name: 'a module in a project of CommonJS',
    code: 'config_unreadable',
    files: { ...ts({}), 'package.json': '{ "type": "commonjs" }' },
    says: /^signalbox\.config\.ts:1: it is a module, but .*package\.json says "type": "commonjs": rename it to signalbox\.config\.mts, or write "type": "module" there$/,
  },
  {
    name: 'a file of tools in a project of CommonJS',
    code: 'config_unreadable',
    files: {
      'package.json': '{ "type": "commonjs" }',
      'signalbox.config.mts': `import { pay } from './tools.ts'\nexport default { pay }\n`,
      'tools.ts': `import { z } from 'signalbox'\nexport const pay = z\n`,
    },
    says: /^tools\.ts: it is a module, but .*package\.json says "type": "commonjs": rename it to tools\.mts, or write/,
  },
]

const exports: readonly Mistake[] = [
  {
    name: 'a default export that is a function',
    files: {
      'signalbox.config.ts': `${head}\nexport default () => defineConfig({ agents: {} })\n`,
    },
    says: /^signalbox\.config\.ts: the default export is a function, and nobody calls it\. Write: export default defineConfig\(/,
  },
  {
    name: 'a default export that is a promise',
    files: { 'signalbox.config.ts': `export default Promise.reject(new Error('later'))\n` },
    says: /^signalbox\.config\.ts: the default export is a promise\. Write await before it\.$/,
  },
  {
    name: 'no default export',
    files: { 'signalbox.config.ts': `export const config = {}\n` },
    says: /^signalbox\.config\.ts has no default export\. Write: export default defineConfig\(/,
  },
  {
    name: 'a default export that is nothing',
    files: { 'signalbox.config.ts': `export default null\n` },
    says: /^signalbox\.config\.ts: the default export is no object\. Write:/,
  },
]

const withSandbox = (sandbox: object): Mistake['files'] => {
  const a = { model: { provider: 'openai', model: 'm' }, tools: ['bash'] }
  return json(JSON.stringify({ agents: { a }, sandbox }))
}
const sandboxes: readonly Mistake[] = [
  {
    name: 'a network in the sandbox that has none',
    files: withSandbox({ network: { allow: ['example.com:443'] } }),
    says: /^signalbox\.config\.json: sandbox\.network: "virtual" has no network; set sandbox\.use to "bubblewrap"$/,
  },
  {
    name: 'a header for a host that commands do not reach',
    files: withSandbox({
      use: 'bubblewrap',
      network: {
        allow: ['api.example.com:443'],
        inject: { 'api.exampel.com': { header: 'Authorization', env: 'KEY' } },
      },
    }),
    says: /sandbox\.network\.inject\.api\.exampel\.com: takes the name of a host that "allow" has, without its port$/,
  },
  {
    name: 'a header whose variable is not set',
    files: withSandbox({
      use: 'bubblewrap',
      network: {
        allow: ['*.example.com:443'],
        inject: { 'API.example.com': { header: 'Authorization', env: 'NOT_SET' } },
      },
    }),
    says: /sandbox\.network\.inject\.API\.example\.com\.env: the variable NOT_SET is not set$/,
  },
]

const values: readonly Mistake[] = [
  {
    name: 'a key in its place',
    code: 'config_unknown_key',
    files: withModel(`"apiKey": "${secret}"`),
    says: /^signalbox\.config\.json: agents\.a\.model\.apiKey: there is no key "apiKey" here\. .*\.env.* apiKeyEnv: 'MY_API_KEY'/,
  },
  {
    name: 'a key in the place of its name',
    files: withModel(`"apiKeyEnv": "${secret}"`),
    says: /^signalbox\.config\.json: agents\.a\.model\.apiKeyEnv: takes the name of the environment variable.*never the key itself$/,
  },
  {
    name: 'an address without its scheme',
    files: withModel(`"baseURL": "localhost:11434/v1"`),
    says: /agents\.a\.model\.baseURL: takes an address that begins with http:\/\/ or https:\/\//,
  },
  {
    name: 'an address with a password',
    files: withModel(`"baseURL": "https://me:${secret}@proxy.example/v1"`),
    says: /agents\.a\.model\.baseURL: takes an address .*without a name or a password$/,
  },
  {
    name: 'any vendor without an address',
    files: json(
      `{ "agents": { "a": { "model": { "provider": "openai-compatible", "model": "m" } } } }`,
    ),
    says: /^signalbox\.config\.json: agents\.a\.model\.baseURL: is missing; .*http:\/\/127\.0\.0\.1:11434\/v1$/,
  },
  {
    name: 'a provider that is misspelt',
    files: json(`{ "agents": { "a": { "model": { "provider": "opnai", "model": "m" } } } }`),
    says: /agents\.a\.model\.provider: takes one of openai, .*; "opnai" is none of them\. Did you mean "openai"\?$/,
  },
  {
    name: 'a field that is misspelt',
    code: 'config_unknown_key',
    files: ts({ agent: `instrucions: ''` }),
    says: /^signalbox\.config\.ts: agents\.a\.instrucions: there is no key "instrucions" here\. Did you mean "instructions"\?$/,
  },
  {
    name: 'a tool that is misspelt',
    code: 'config_unknown_tool',
    files: ts({ agent: `tools: ['pya']`, rest: `tools: [${tool('pay')}]` }),
    says: /signalbox\.config\.ts: agents\.a\.tools\[0\]: There is no tool "pya"\. Did you mean "pay"\?$/,
  },
  {
    name: 'an agent that is misspelt',
    code: 'config_unknown_agent',
    files: json(`{ "agents": {
      "boss": { "model": { "provider": "openai", "model": "m" }, "tools": ["agent:clrek"] },
      "clerk": { "model": { "provider": "openai", "model": "m" } } } }`),
    says: /signalbox\.config\.json: agents\.boss\.tools\[0\]: there is no agent "clrek"\. Did you mean "clerk"\?$/,
  },
  {
    name: 'a limit of an agent that is misspelt',
    code: 'config_unknown_agent',
    files: json(`{ "agents": { "clerk": { "model": { "provider": "openai", "model": "m" } } },
      "runLimits": [{ "agents": ["clrek"], "concurrency": 1 }] }`),
    says: /^signalbox\.config\.json: runLimits\[0\]\.agents\[0\]: there is no agent "clrek"\. Did you mean "clerk"\?$/,
  },
  {
    name: 'two agents that would be one tool',
    files: json(`{ "agents": {
      "boss": { "model": { "provider": "openai", "model": "m" }, "tools": ["agent:a.b"] },
      "a.b": { "model": { "provider": "openai", "model": "m" } },
      "a_b": { "model": { "provider": "openai", "model": "m" } } } }`),
    says: /agents\.boss\.tools\[0\]: "a\.b" and "a_b" would both be the tool "agent__a_b"; rename either$/,
  },
  {
    name: 'a negative limit',
    files: ts({ agent: 'limits: { maxTurns: -5 }' }),
    says: /^signalbox\.config\.ts: agents\.a\.limits\.maxTurns: takes a number from 1, not -5$/,
  },
  {
    name: 'a cost of nothing',
    files: ts({ agent: 'limits: { maxCost: 0 }' }),
    says: /^signalbox\.config\.ts: agents\.a\.limits\.maxCost: takes a number above 0, not 0$/,
  },
  {
    name: 'half a turn',
    files: ts({ agent: 'limits: { maxTurns: 1.5 }' }),
    says: /^signalbox\.config\.ts: agents\.a\.limits\.maxTurns: takes a whole number, not 1\.5$/,
  },
  {
    name: 'a number as a text',
    files: ts({ agent: `limits: { maxTurns: '20' }` }),
    says: /^signalbox\.config\.ts: agents\.a\.limits\.maxTurns: takes a number, not a text: leave the quotation marks out$/,
  },
  {
    name: 'a value of another kind',
    files: ts({ agent: 'instructions: 5' }),
    says: /^signalbox\.config\.ts: agents\.a\.instructions: takes a text, not 5$/,
  },
  {
    name: 'a model that is missing',
    files: json(`{ "agents": { "a": { "instructions": "Write." } } }`),
    says: /^signalbox\.config\.json: agents\.a\.model: is missing; it takes an object$/,
  },
  {
    name: 'no agent',
    files: json(`{ "agents": {} }`),
    says: /^signalbox\.config\.json: agents: there is no agent; at least one is needed$/,
  },
  {
    name: 'agents as a list',
    files: json(`{ "agents": [{ "name": "a" }] }`),
    says: /^signalbox\.config\.json: agents: takes an object, not a list$/,
  },
  {
    name: 'a server of MCP whose variable is not set',
    files: json(`{ "agents": { "a": { "model": { "provider": "openai", "model": "m" } } },
      "mcpServers": { "git": { "command": "git-mcp", "env": { "TOKEN": "\${NO_SUCH_TOKEN}" } } } }`),
    says: /signalbox\.config\.json: mcpServers\.git: environment variable not set: NO_SUCH_TOKEN$/,
  },
  {
    name: 'a provider by its name alone',
    files: ts({ agent: `guardrails: { provider: 'allowlist' }` }),
    says: /^signalbox\.config\.ts: agents\.a\.guardrails\.provider: takes \{ use: "allowlist", … \}, another provider, or a list of them$/,
  },
  {
    name: 'a provider that does not say which',
    files: ts({ agent: `guardrails: { provider: {} }` }),
    says: /agents\.a\.guardrails\.provider\.use: is missing; it takes allowlist, passport, cedar, http, or \.\/file\.ts#export$/,
  },
  {
    name: 'a guardrail that is misspelt',
    files: ts({ agent: `guardrails: { stream: [{ use: 'bannd-terms', terms: ['x'] }] }` }),
    says: /agents\.a\.guardrails\.stream\[0\]\.use: takes one of .*; "bannd-terms" is none of them\. Did you mean "banned-terms"\?$/,
  },
  {
    name: 'a server of MCP that is two',
    code: 'config_unknown_key',
    files: json(`{ "agents": { "a": { "model": { "provider": "openai", "model": "m" } } },
      "mcpServers": { "git": { "command": "git-mcp", "url": "http://127.0.0.1:1" } } }`),
    says: /mcpServers\.git\.url: "url" cannot stand beside the other keys here; it belongs to another form of the object\.$/,
  },
  {
    name: 'a policy whose file has another name',
    code: 'config_unreadable',
    files: {
      ...ts({ agent: `guardrails: { provider: { use: './polcy.ts#judge' } }` }),
      'policy.ts': 'export const judge = () => true\n',
    },
    says: /agents\.a\.guardrails\.provider\.use: .*polcy\.ts cannot be imported: polcy\.ts is not there\. Did you mean policy\.ts\?$/,
  },
]

const agent = `{ "model": { "provider": "openai", "model": "m" } }`
const files: readonly Mistake[] = [
  {
    name: 'two agents of one name',
    code: 'config_unreadable',
    files: json(`{\n  "agents": {\n    "a": ${agent},\n    "a": ${agent}\n  }\n}\n`),
    says: /^signalbox\.config\.json:4: it can be read in two ways: the key "a" stands twice in an object$/,
  },
  {
    name: 'a comment in JSON',
    code: 'config_unreadable',
    files: json(`{\n  // mine\n  "agents": { "a": ${agent} }\n}\n`),
    says: /^signalbox\.config\.json:2: JSON has no comments: leave it out$/,
  },
  {
    name: 'a comma too many in JSON',
    code: 'config_unreadable',
    files: json(`{\n  "agents": { "a": ${agent}, },\n}\n`),
    says: /^signalbox\.config\.json:2: JSON takes no comma before }: leave it out$/,
  },
  {
    name: 'single quotation marks in JSON',
    code: 'config_unreadable',
    files: json(`{\n  "agents": {\n    'a': ${agent}\n  }\n}\n`),
    says: /^signalbox\.config\.json:3: JSON takes double quotation marks$/,
  },
  {
    name: 'JSON that ends in the middle',
    code: 'config_unreadable',
    files: json(`{\n  "agents": { "a": ${agent}\n`),
    says: /^signalbox\.config\.json:3: it ends in the middle/,
  },
  {
    name: 'an empty file',
    code: 'config_unreadable',
    files: json(''),
    says: /^signalbox\.config\.json:1: it ends in the middle/,
  },
  {
    name: 'JSON in UTF-16',
    code: 'config_unreadable',
    files: { 'signalbox.config.json': Buffer.from('\uFEFF{}', 'utf16le') },
    says: /^signalbox\.config\.json is UTF-16\. Save it as UTF-8\.$/,
  },
  {
    name: 'a folder in the place of the file',
    code: 'config_unreadable',
    files: { 'signalbox.config.ts/': '' },
    says: /^signalbox\.config\.ts is a folder\. A configuration is a file\.$/,
  },
  {
    name: 'two configurations',
    code: 'config_ambiguous',
    files: { 'signalbox.config.ts': '', 'signalbox.config.mts': '' },
    says: /^signalbox\.config\.ts and signalbox\.config\.mts stand side by side in .* Keep one, or name it in SIGNALBOX_CONFIG\.$/,
  },
  {
    name: 'a configuration in YAML',
    code: 'config_not_found',
    files: { 'signalbox.config.yaml': 'agents:\n' },
    says: /There is no signalbox\.config\.\{ts,mts,js,mjs,json\} in .*\. signalbox\.config\.yaml is none of these\. Make one with "npx signalbox init"/,
  },
]

/** All of them. */
export const mistakes: readonly Mistake[] = [
  ...tools,
  ...loading,
  ...exports,
  ...sandboxes,
  ...values,
  ...files,
]
