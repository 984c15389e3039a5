/** The skills of an agent as its runs pin them. */
import { limits, type PinnedSkill } from '@signalbox/core'
import { shortestSecret } from '@signalbox/tools'
import type { AgentConfig } from '../agent-schema.ts'
import type { Env } from '../environment.ts'
import { fail } from '../fail.ts'
import { suggestion } from '../nearest.ts'
import { sandboxOf } from '../sandbox-of.ts'
import type { Config } from '../schema.ts'
import { skillsOf } from '../skills-schema.ts'
import type { ConfiguredSkill } from './load-skills.ts'
import { toolsNamed } from './named-tools.ts'

/** Their skills by name, and what is made of the tools that they name. @throws ConfigError */
export function pinSkills(
  field: string,
  agent: AgentConfig,
  {
    skills,
    tools,
  }: { readonly skills: readonly ConfiguredSkill[]; readonly tools: readonly string[] },
) {
  const { allowedTools, secrets } = skillsOf(agent)
  checkNumber(field, skills)
  const pinned = skills.map((skill): PinnedSkill => {
    const { head, bundle, shown, field: at } = skill
    const named = head.allowedTools && toolsNamed(head.allowedTools, tools)
    if (allowedTools === 'restrict' && named?.length === 0)
      fail(
        'config_skill',
        at,
        `${shown}: allowed-tools names none of the tools of the agent, and restricts it to them: nothing could be done.${suggestion('', tools)}`,
      )
    const { name, description } = head
    const wanted = secretsOf(`${field}.skills.secrets`, skill, secrets)
    return { name, description, digest: bundle.digest, tools: named, ...wanted }
  })
  checkBindings(`${field}.skills.secrets`, secrets, skills)
  return {
    skills: pinned,
    ...(allowedTools === 'restrict' && pinned.length > 0 ? { skillTools: 'restrict' } : {}),
  }
}

function checkNumber(field: string, { length }: readonly ConfiguredSkill[]): void {
  if (length <= limits.skillsMax) return
  fail('config_skill', `${field}.skills`, `are ${length}; an agent has at most ${limits.skillsMax}`)
}

type Bindings = ReturnType<typeof skillsOf>['secrets']

function secretsOf(
  field: string,
  { head, shown }: ConfiguredSkill,
  bindings: Bindings,
): Pick<PinnedSkill, 'secrets'> {
  if (head.secrets.length === 0) return {}
  const bound = head.secrets.map((name) => {
    const binding = Object.hasOwn(bindings, name) ? bindings[name] : undefined
    if (binding) return [name, binding.env] as const
    const message = `is missing: ${shown} wants it (metadata.secrets). Name the variable of the worker that holds its value: { env: 'MY_${name}' }`
    return fail('config_skill', `${field}.${name}`, message)
  })
  return { secrets: Object.fromEntries(bound) }
}

/** A name that no skill has asked for is most likely a slip. */
function checkBindings(
  field: string,
  bindings: Bindings,
  skills: readonly ConfiguredSkill[],
): void {
  const wanted = skills.flatMap(({ head }) => head.secrets)
  const stranger = Object.keys(bindings).find((name) => !wanted.includes(name))
  if (stranger === undefined) return
  const message = `no skill of the agent wants "${stranger}" (metadata.secrets).${suggestion(stranger, wanted)}`
  fail('config_skill', `${field}.${stranger}`, message)
}

/** Secrets that have no value here, or one that no output could be kept free of. @throws ConfigError `config_env` */
export function checkSkillSecrets(config: Config, env: Env): void {
  const given = Object.keys(sandboxOf(config)?.env ?? {})
  for (const [name, agent] of Object.entries(config.agents))
    for (const [secret, { env: variable }] of Object.entries(skillsOf(agent).secrets)) {
      const field = `agents.${name}.skills.secrets.${secret}`
      const value = env[variable]
      if (value === undefined || value === '')
        fail('config_env', `${field}.env`, `the variable ${variable} is not set`)
      if (value.length < shortestSecret)
        fail(
          'config_env',
          `${field}.env`,
          `the value of ${variable} has less than ${shortestSecret} characters: it could not be taken out of outputs`,
        )
      if (given.includes(secret))
        fail(
          'config_invalid',
          field,
          `sandbox.env has a variable "${secret}", too. Keep one of them`,
        )
    }
}
