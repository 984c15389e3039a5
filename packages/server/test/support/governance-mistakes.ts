/**
 * Mistakes in the governance of an agent, each with what it is refused with. A field begins with where the mistake stands:
 * under `agents.a`, or under `server`.
 */

/** Where it stands, what is written there, how the field goes on, and words of the refusal. */
export type Mistake = readonly [where: string, value: unknown, rest: string, hint: string]
/** The same, with the code before the field. */
export type CodedMistake = readonly [
  where: string,
  value: unknown,
  code: string,
  rest: string,
  hint: string,
]

/** A passport that is right. */
export const passport = {
  passport_id: 'p-1',
  spec_version: 'oap/1.0',
  status: 'active',
  assurance_level: 'L2',
  capabilities: [{ id: 'system.command.execute' }],
  limits: {},
}

/** Keys that do not exist: `config_unknown_key`. */
export const misspelt: readonly Mistake[] = [
  [
    'guardrails.provider',
    { use: 'http', url: 'http://h', polices: {} },
    '.polices',
    'Known: id, use, url, timeoutMs',
  ],
  [
    'guardrails.provider',
    { use: 'passport', passport: passport, capabilites: {} },
    '.capabilites',
    'Did you mean "capabilities"?',
  ],
  [
    'guardrails.provider',
    [{ use: 'http', url: 'http://h', timeout: 5 }],
    '[0].timeout',
    'Did you mean "timeoutMs"?',
  ],
  ['guardrails.provider', { use: 'cedar', polices: {} }, '.polices', 'Did you mean "policies"?'],
  [
    'guardrails.provider',
    { use: './guards.mjs#policy', confg: {} },
    '.confg',
    'Did you mean "config"?',
  ],
  ['guardrails.stream', [{ use: 'pii', entity: [] }], '[0].entity', 'Known: id, use, entities'],
  [
    'guardrails.stream',
    [{ use: 'patterns', patterns: [{ name: 'x', patern: 'y' }] }],
    '[0].patterns[0].patern',
    'Did you mean "pattern"?',
  ],
  ['loop.cycles', { hardLimt: 3 }, '.hardLimt', '"hardLimit"'],
  ['approvals', { expireMs: 1 }, '.expireMs', '"expiresMs"'],
  ['model.price', { inputPerMtok: 1 }, '.inputPerMtok', '"inputPerMTok"'],
  ['fallbackModels', [{ provider: 'openai', modle: 'x' }], '[0].modle', '"model"'],
  ['breaker', { treshold: 1 }, '.treshold', '"threshold"'],
  ['safety.hold', { stop: 3 }, '.stop', '"stops"'],
  ['server.identity', { userHeder: 'x-user' }, '.userHeder', '"userHeader"'],
]

/** Values that a key does not take: `config_invalid`. */
export const wrong: readonly Mistake[] = [
  ['guardrails.provider', { use: './guards.mjs#policy', timeoutMs: '5' }, '.timeoutMs', 'number'],
  ['guardrails.provider', { use: 'passprt' }, '.use', 'Did you mean "passport"?'],
  ['guardrails.provider', { use: './guards.mjs' }, '.use', './file.ts#export'],
  ['guardrails.provider', [], '', 'must not be empty'],
  ['guardrails.provider', { use: 'passport' }, '', 'exactly one of'],
  [
    'guardrails.provider',
    { use: 'passport', passport: passport, file: './passport.json' },
    '',
    'exactly one of',
  ],
  ['guardrails.provider', { use: 'http', url: 'ftp://h' }, '.url', 'http://'],
  [
    'guardrails.provider',
    { use: 'http', url: 'http://user:pass@h' },
    '.url',
    'without a name or a password',
  ],
  ['guardrails.provider', { use: 'cedar' }, '', 'there is no policy'],
  ['guardrails.stream', ['pi'], '[0]', '"error-recovery", "pii"'],
  ['guardrails.stream', [{ use: 'pii', entities: ['emial'] }], '[0].entities[0]', 'email'],
  ['guardrails.maxGuardrailRetries', 21, '', 'up to 20'],
  [
    'loop',
    { warnThreshold: 5, hardLimit: 2 },
    '.hardLimit',
    'must be at least 5, where the warning is; it is 2',
  ],
  ['loop', { windowSize: 4 }, '.windowSize', 'must be at least 5, the hardLimit'],
  ['limits', { maxCost: 0 }, '.maxCost', 'above 0'],
  ['limits', { warnAt: 2 }, '.warnAt', 'up to 1'],
  ['continuations', 6, '', 'up to 5'],
  ['skills', [{ name: 'x' }], '[0]', 'a text'],
  ['skills', ['skills/pdf'], '[0]', './skills/pdf'],
  ['skills', { from: [] }, '.from', 'must not be empty'],
  ['skills', { from: ['./a'], allowedTools: 'deny' }, '.allowedTools', 'ignore, restrict'],
  ['safety.afterRefusal', 'drop', '', 'drop-turn'],
  ['safety.detectors', ['./guards.mjs'], '[0]', './file.ts#export'],
  ['server.identity', {}, '', 'names no header'],
  [
    'server.identity',
    { endUserHeader: 'x-end', roleHeader: 'x-role' },
    '.roleHeader',
    'set userHeader too',
  ],
  ['server.identity', { userHeader: 'Authorization' }, '.userHeader', 'no secret'],
]

/** What only shows when files are read and names are looked up. */
export const unusable: readonly CodedMistake[] = [
  ['guardrails.enabled', true, 'config_invalid', '', 'name a provider, approvalTools or stream'],
  [
    'guardrails.provider',
    { use: 'passport', file: './nowhere.json' },
    'config_unreadable',
    '.file',
    'nowhere.json cannot be read',
  ],
  [
    'guardrails.provider',
    { use: 'passport', file: './broken.json' },
    'config_unreadable',
    '.file',
    'not JSON',
  ],
  ...(['twice', 'proto'] as const).map((name): CodedMistake => [
    'guardrails.provider',
    { use: 'passport', file: `./${name}.json` },
    'config_invalid',
    '.file',
    'read in two ways',
  ]),
  [
    'guardrails.provider',
    { use: 'passport', file: './large.json' },
    'config_unreadable',
    '.file',
    'more than 262144 bytes',
  ],
  [
    'guardrails.provider',
    { use: 'passport', file: './statusless.json' },
    'config_invalid',
    '.file',
    'status',
  ],
  [
    'guardrails.provider',
    { use: 'passport', file: './nameless.json' },
    'config_invalid',
    '.file',
    'passport_id: must be there',
  ],
  [
    'guardrails.provider',
    { use: 'passport', passport: { ...passport, expires_at: 'soon' } },
    'config_invalid',
    '.passport',
    'expires_at',
  ],
  [
    'guardrails.provider',
    { use: 'passport', url: 'http://127.0.0.1:1/passport?key=geheim' },
    'config_unreadable',
    '.url',
    'http://127.0.0.1:1/passport cannot be read',
  ],
  [
    'guardrails.provider',
    { use: 'cedar', files: { one: './nowhere.cedar' } },
    'config_unreadable',
    '.files.one',
    'nowhere.cedar',
  ],
  [
    'guardrails.provider',
    [
      { use: 'allowlist', deniedTools: ['look'] },
      { use: 'cedar', policies: { one: 'permit(' } },
    ],
    'config_invalid',
    '[1]',
    'cannot be parsed',
  ],
  [
    'guardrails.provider',
    { use: 'cedar', files: { one: './one.cedar' }, approval: ['two'] },
    'config_invalid',
    '',
    'names two in approval',
  ],
  [
    'guardrails.provider',
    { use: 'http', url: 'http://h', tokenEnv: 'POLICY_TOKEN' },
    'config_invalid',
    '',
    'POLICY_TOKEN is not set',
  ],
  [
    'guardrails.provider',
    [
      { use: 'http', url: 'http://h', id: 'x' },
      { use: 'http', url: 'http://i', id: 'x' },
    ],
    'config_invalid',
    '[1].id',
    'another provider has the id "x" too',
  ],
  [
    'guardrails.provider',
    { use: './nowhere.mjs#x' },
    'config_unreadable',
    '.use',
    'nowhere.mjs cannot be imported',
  ],
  [
    'guardrails.provider',
    { use: './guards.mjs#polcy' },
    'config_invalid',
    '.use',
    'Did you mean "policy"?',
  ],
  [
    'guardrails.provider',
    { use: './guards.mjs#nothing' },
    'config_invalid',
    '.use',
    'definePolicy',
  ],
  [
    'guardrails.provider',
    [{ use: 'allowlist', allowedTools: ['lok'] }],
    'config_unknown_tool',
    '[0].allowedTools[0]',
    '"look"',
  ],
  [
    'guardrails.provider',
    { use: 'allowlist', approvalTools: ['lok'] },
    'config_unknown_tool',
    '.approvalTools[0]',
    '"look"',
  ],
  ['guardrails.stream', ['./guards.mjs#nothing'], 'config_invalid', '[0]', 'defineGuardrail'],
  [
    'guardrails.stream',
    ['pii', { use: 'patterns', patterns: [{ name: 'evil', pattern: '(a+)+$' }] }],
    'config_invalid',
    '[1]',
    'pattern evil: can match without end',
  ],
  [
    'guardrails.stream',
    [{ use: 'banned-terms', terms: ['good', ' '] }],
    'config_invalid',
    '[0]',
    'term 1 is blank',
  ],
  ['safety.detectors', [], 'config_unknown_detector', '', 'empty'],
  ['safety.detectors', ['opnai'], 'config_unknown_detector', '', 'openai-compatible'],
  [
    'safety.detectors',
    ['./guards.mjs#nothing'],
    'config_unknown_detector',
    '',
    'a function detect',
  ],
  [
    'loop.toolFreqOverrides',
    { lok: { warn: 1, hardLimit: 2 } },
    'config_unknown_tool',
    '.lok',
    '"look"',
  ],
  ['fallbackModels', [{ provider: 'scripted', model: 'mm' }], 'config_invalid', '[0].model', '"m"'],
]
